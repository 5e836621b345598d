"""Evidence files of the UAI competitions (.evid): numbers of variables and of their states.

Two forms are found: one set, `2 0 1 3 0` (so many, then variable and state), and the older one
whose first line is the number of sets, with one such line for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.inference.protocols import Excluded, Finding, Observed
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.model_files import decode_text, read_bytes
from pgmstudio.core.io.text_scanner import TextScanner, found

EVIDENCE_ENDING = ".evid"


class _Reader(TextScanner):
    BLANK = re.compile(r"\s*+")
    TOKEN = re.compile(r"\S++")

    def whole(self, what: str) -> int:
        token = self.next_token()
        if not token.isdecimal() or len(token) > 9:
            self.fail(f"expected {what}, {found(token)}.")
        return int(token)

    def case(self, domain: Domain) -> dict[str, Observed]:
        """One set of findings."""
        findings: dict[str, Observed] = {}
        for _ in range(self.whole("how many variables are observed")):
            number = self.whole("the number of a variable")
            if number >= len(domain):
                self.fail(f"there is no variable {number}; the model has {len(domain)}.")
            variable = domain.variables[number]
            code = self.whole(f"the number of a state of {variable.name}")
            if code >= variable.cardinality:
                self.fail(f"{variable.name} has no state {code}; it has {variable.cardinality}.")
            if variable.name in findings:
                self.fail(f"{variable.name} is there twice.")
            findings[variable.name] = Observed(variable.states[code])
        return findings


def parse_evidence(content: bytes, path: Path, domain: Domain) -> list[dict[str, Observed]]:
    """The sets of findings in a file, for a model with this domain; either form."""
    text, _ = decode_text(content)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    reader = _Reader(text, path)
    # The older form has the number of sets on a line of its own.
    if len(lines) > 1 and len(lines[0]) == 1 and not _is_one_set(lines):
        count = reader.whole("how many sets of evidence there are")
        if count > len(text):
            reader.fail(f"the file is too short for {count} sets of evidence.")
        cases = [reader.case(domain) for _ in range(count)]
    else:
        cases = [reader.case(domain)]
    token = reader.next_token()
    if token:
        reader.fail(f"expected the end of the file, {found(token)}.")
    return cases


def _is_one_set(lines: Sequence[Sequence[str]]) -> bool:
    """Whether it is the newer form written over several lines, each variable on its own."""
    count = int(lines[0][0]) if lines[0][0].isdecimal() and len(lines[0][0]) < 9 else -1
    return count == len(lines) - 1 and all(len(line) == 2 for line in lines[1:])


def read_evidence(path: Path | str, domain: Domain) -> list[dict[str, Observed]]:
    """The sets of findings in a file on the disk."""
    path = Path(path)
    return parse_evidence(read_bytes(path), path, domain)


def evidence_text(
    cases: Sequence[Mapping[str, Finding]], domain: Domain, *, older: bool = False
) -> tuple[bytes, tuple[str, ...]]:
    """The text of sets of findings, and what it cannot hold; several sets need the older form."""
    lost: list[str] = []
    lines = [str(len(cases))] if older or len(cases) != 1 else []
    for case in cases:
        numbers: list[tuple[int, int]] = []
        for name, finding in case.items():
            variable = domain[name]
            states = [finding.state] if isinstance(finding, Observed) else []
            if isinstance(finding, Excluded):
                left = [state for state in variable.states if state not in finding.states]
                states = left if len(left) == 1 else []
            if states:
                numbers.append((domain.index(name), variable.code(states[0])))
            else:
                lost.append(
                    f"An .evid file holds observed states only; {name} {finding} is left out."
                )
        words = [str(len(numbers)), *(f"{v} {code}" for v, code in sorted(numbers))]
        lines.append(" ".join(words))
    return ("\n".join(lines) + "\n").encode(), tuple(lost)


def write_evidence(
    path: Path | str,
    cases: Sequence[Mapping[str, Finding]],
    domain: Domain,
    *,
    older: bool = False,
) -> tuple[str, ...]:
    """Write sets of findings; a sentence for each finding that the format cannot hold."""
    path = Path(path)
    if path.suffix.lower() != EVIDENCE_ENDING:
        raise ModelFileError(path, f"an evidence file ends in {EVIDENCE_ENDING}.")
    content, lost = evidence_text(cases, domain, older=older)
    replace_file(path, content)
    return lost
