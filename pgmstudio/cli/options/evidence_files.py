"""Evidence files of a command: `--evidence FILE.evid` and `--save-evidence FILE.evid`."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Finding


def add_evidence_file_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--evidence", metavar="FILE.evid", help="findings from a UAI evidence file with one set"
    )
    parser.add_argument(
        "--save-evidence", metavar="FILE.evid", help="write the findings as such a file"
    )


def evidence_in(path: str | None, domain: Domain) -> Mapping[str, Finding]:
    """The findings of a file; none without one."""
    if path is None:
        return {}
    from pgmstudio.core.io.models.uai import read_evidence

    cases = read_evidence(path, domain)
    if len(cases) != 1:
        raise UsageError(f"{path} has {len(cases)} sets of evidence; one is asked for.")
    return cases[0]


def save_evidence(
    path: str | None, domain: Domain, findings: Mapping[str, Finding], line: ProgressLine
) -> None:
    """Write the findings, and say what the file cannot hold."""
    if path is None:
        return
    from pgmstudio.core.io.models.uai import write_evidence

    for sentence in write_evidence(path, [findings], domain):
        line.say(sentence)
    line.say(f"Wrote {path}.")
