"""Plan files (JSON or TOML), and the rows that they name."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.split import split
from pgmstudio.core.errors import DataError, FileError, ParameterError
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import DataPlan, Plan
from pgmstudio.core.experiments.plans.plan_entries import plan_of
from pgmstudio.core.io.data_files import import_together
from pgmstudio.core.io.import_options import ImportOptions
from pgmstudio.core.io.json_documents import parse_json
from pgmstudio.core.io.model_files import read_bytes, read_model
from pgmstudio.core.models.protocols import Model

ENDINGS = (".json", ".toml")
# tomllib takes quadratic time and memory for keys of many parts.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){32}""")


def read_plan(path: Path | str) -> Plan:
    """The plan in a file; file names in it are meant from the folder of the plan."""
    path = Path(path)
    try:
        plan = plan_of(_entries(path))
    except ParameterError as problem:
        listed = "; ".join(f"{name} {text}" for name, text in problem.problems.items())
        raise FileError(path, f"{listed}.") from problem
    return plan if plan.data is None else replace(plan, data=_placed(plan.data, path.parent))


def _entries(path: Path) -> dict[str, Any]:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise FileError(path, "a plan ends in .json or .toml. Choose one of them.")
    content = read_bytes(path)
    if ending == ".json":
        return dict(parse_json(content, path, error=FileError).mapping())
    try:
        text = content.decode("utf-8-sig")
        if _LONG_KEY.search(text):
            raise FileError(path, "has a key of more than 32 parts, which no plan needs.")
        return tomllib.loads(text)
    except RecursionError as problem:
        raise FileError(path, "is nested too deeply.") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise FileError(path, f"is no TOML: {problem}.") from problem
    except ValueError as problem:
        raise FileError(path, "holds a number of thousands of digits.") from problem


def _placed(data: DataPlan, folder: Path) -> DataPlan:
    """With every file name as it is from here."""

    def placed(name: str | None) -> str | None:
        return None if name is None else str(folder / name)

    return replace(
        data,
        file=str(folder / data.file),
        test=placed(data.test),
        valid=placed(data.valid),
        reference=placed(data.reference),
    )


def read_plan_rows(data: DataPlan) -> PlanRows:
    """The rows for learning, for choosing and for the test, over one domain.

    Files of their own come before shares. Cuts of numbers are made on the first file alone.
    """
    files = [name for name in (data.file, data.test, data.valid) if name is not None]
    parts = iter([imported.data for imported in import_together(files, _options(data))])
    first = next(parts)
    test = None if data.test is None else next(parts)
    valid = None if data.valid is None else next(parts)
    rows = split_rows(first, data, test=test, valid=valid)
    reference = None if data.reference is None else read_model(data.reference).model
    return replace(rows, reference=reference)


def split_rows(
    rows: DataSet,
    data: DataPlan,
    *,
    test: DataSet | None = None,
    valid: DataSet | None = None,
    reference: Model | None = None,
) -> PlanRows:
    """Rows in hand, parted as the plan says where a part does not come by itself."""
    if data.complete:
        rows = rows.complete_rows()
        test = None if test is None else test.complete_rows()
        valid = None if valid is None else valid.complete_rows()
    shares = [
        0.0 if valid is not None else data.valid_share,
        0.0 if test is not None else data.test_share,
    ]
    if sum(shares) >= 1:
        raise DataError("The shares of validation and test rows must leave rows to learn from.")
    if any(shares):
        parts = split(rows, (1 - sum(shares), *(s for s in shares if s)), data.split_seed).parts(
            rows
        )
        rows, rest = parts[0], list(parts[1:])
        valid = rest.pop(0) if shares[0] else valid
        test = rest.pop(0) if shares[1] else test
    if test is None:
        raise DataError("A plan needs test rows: a test file, or a test share above 0.")
    return PlanRows(rows, test, valid, reference)


def _options(data: DataPlan) -> ImportOptions:
    told: dict[str, Any] = {
        name.replace("-", "_"): value for name, value in data.reading.items() if value is not None
    }
    return ImportOptions(**told)
