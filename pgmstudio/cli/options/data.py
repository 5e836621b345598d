"""Reading data and model files for a command, with what there is to say about them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataFileError, ModelFileError
from pgmstudio.core.io.models.files import ModelFile, is_model_path, known_endings, read_model
from pgmstudio.core.io.reading_limits import set_read_limit
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.data.dataset import Imported
    from pgmstudio.core.io.data.options import ImportOptions

# As many are named before the rest is counted.
STATES_NAMED = REMARKS_SAID = 5

# How the importer begins its advice on columns of many numbers.
MANY_NUMBERS = "Discretise into bins"
# What it says of a number that may stand for missing.
MAYBE_MISSING = "make it a missing marker"

_DELIMITERS = {"tab": "\t", "blanks": " ", "comma": ",", "semicolon": ";"}


def add_data_options(
    parser: CommandParser, target: str = "the column that mdl cuts separate"
) -> None:
    """How a data file becomes rows of states; the same options for every command.

    `target` says what a command takes --target for.
    """
    group = parser.add_argument_group("reading data")
    group.add_argument(
        "--missing-as-state",
        action="store_true",
        help="an empty cell, ? or NA is a state of its own, not missing",
    )
    group.add_argument(
        "--missing-marker",
        metavar="TEXT",
        action="append",
        default=[],
        help="a cell with this text is missing too: --missing-marker=-999",
    )
    group.add_argument(
        "--delimiter",
        metavar="SIGN",
        help="what stands between two cells (default: found); tab and blanks by name",
    )
    group.add_argument(
        "--bins",
        type=whole_number(2),
        metavar="N",
        help="cut columns of many numbers into N intervals",
    )
    group.add_argument(
        "--binning",
        metavar="HOW",
        help="how they are cut: width, frequency, kmeans, nice, or mdl with --target",
    )
    group.add_argument("--target", metavar="COLUMN", help=target)
    group.add_argument(
        "--frequency", metavar="COLUMN", help="the column that counts how often a row occurs"
    )
    group.add_argument(
        "--as-states",
        metavar="COLUMN",
        action="append",
        default=[],
        help="the numbers of this column are states, however many",
    )
    group.add_argument(
        "--leave-out", metavar="COLUMN", action="append", default=[], help="skip a column"
    )
    group.add_argument(
        "--sheet",
        "--table",
        metavar="NAME",
        help="of a workbook with several sheets, or a database",
    )
    group.add_argument(
        "--read-limit",
        type=number(0, low_open=True),
        metavar="GB",
        help="the largest unpacked size of a file, and the memory for reading it (default: 4)",
    )


def import_options(args: argparse.Namespace) -> ImportOptions:
    """The options as the importer takes them."""
    from pgmstudio.core.io.data.options import DEFAULT_MARKERS, ImportOptions

    if args.read_limit is not None:
        set_read_limit(args.read_limit)
    told = {} if args.binning is None else {"binning": args.binning}
    return ImportOptions(
        delimiter=_DELIMITERS.get(args.delimiter, args.delimiter),
        markers=tuple(dict.fromkeys((*DEFAULT_MARKERS, *args.missing_marker))),
        missing_as_state=args.missing_as_state,
        bins=args.bins,
        target=args.target,
        frequency=args.frequency,
        leave_out=tuple(args.leave_out),
        as_states=tuple(args.as_states),
        sheet=args.sheet,
        **told,
    )


def _import(path: str, options: ImportOptions, line: ProgressLine) -> Imported:
    from pgmstudio.core.io.data.reader import import_data

    try:
        imported = import_data(path, options)
    except DataFileError as refused:
        if MANY_NUMBERS in refused.headline:  # the same advice in the words of this place
            told = f"{refused.headline} Here: --bins N, --as-states COLUMN, --leave-out COLUMN."
            raise DataFileError(path, told, refused.problems) from None
        raise
    for remark in imported.remarks[:REMARKS_SAID]:
        line.say(f"{remark} Here: --missing-marker=TEXT." if MAYBE_MISSING in remark else remark)
    if len(imported.remarks) > REMARKS_SAID:
        line.say(f"… and {count_of(len(imported.remarks) - REMARKS_SAID, 'remark')} more.")
    return imported


def read_rows(path: str, args: argparse.Namespace, line: ProgressLine) -> DataSet:
    """The rows of a file whose states are found in it."""
    return _import(path, import_options(args), line).data


def read_together(
    path: str, other_path: str, args: argparse.Namespace, line: ProgressLine
) -> tuple[DataSet, DataSet]:
    """Two files over one domain: the first's columns and cuts, and the states of both.

    A state that only the second file has becomes a state of the domain too, so that a model learned
    from the first can be measured on the second.
    """
    from pgmstudio.core.data.transforms import fitted_to
    from pgmstudio.core.io.data.reader import common_domain

    options = import_options(args)
    first = _import(path, options, line)
    # The second file is cut where the first is, and not judged by its own values.
    kept = tuple(name for name in first.data.domain.names if name not in first.cuts)
    rest = replace(options, bins=None, discretise=first.cuts, as_states=kept)
    parts = [first.data, _import(other_path, rest, line).data]
    domain = common_domain([Path(path), Path(other_path)], parts)
    unseen = [
        f"{variable.name} = {state}"
        for variable in domain
        for state in variable.states
        if state not in first.data.domain[variable.name].states
    ]
    if unseen:
        more = f" and {len(unseen) - STATES_NAMED} more" if len(unseen) > STATES_NAMED else ""
        line.say(
            f"{count_of(len(unseen), 'state')} only in {other_path} taken in: "
            f"{', '.join(unseen[:STATES_NAMED])}{more}."
        )
    data, other = (fitted_to(part, domain) for part in parts)
    return data, other


def read_rows_for(
    model: Model,
    path: str,
    args: argparse.Namespace,
    line: ProgressLine,
    *,
    may_lack_columns: bool = False,
) -> DataSet:
    """The rows of a file with the model's states; other states are refused.

    So are lacking columns, unless they may be missing in every row; then they are named.
    """
    options = replace(
        import_options(args),
        bins=None,
        domain=model.domain,
        absent_as_missing=may_lack_columns,
    )
    data = _import(path, options, line).data.select_columns(model.domain.names)
    counts = zip(data.domain.names, data.missing_counts, strict=True)
    empty = [name for name, count in counts if count == data.row_count > 0]
    if may_lack_columns and empty:
        more = ", …" if len(empty) > STATES_NAMED else ""
        line.say(f"Missing in every row: {', '.join(empty[:STATES_NAMED])}{more}.")
    return data


def open_model(path: str, line: ProgressLine) -> ModelFile:
    """A model file; what its reader had to put right is said."""
    file = read_model(path)
    for remark in file.remarks:
        line.say(remark)
    return file


def check_model_target(path: str) -> None:
    """Refuse a place where no model can be written before a long run, not after it."""
    if not is_model_path(path):
        listed = ", ".join(known_endings())
        raise ModelFileError(path, f"does not end as a model file does: {listed}.")
    if not Path(path).absolute().parent.is_dir():
        raise ModelFileError(path, f"cannot be written: there is no folder {Path(path).parent}.")


def check_room(rows: int, domain: Domain) -> None:
    """UsageError when so many rows do not fit into memory."""
    from pgmstudio.core.languages.bayesian_network.inference_cost import available_bytes, in_units
    from pgmstudio.core.large_counts import count_text

    # The codes, once more while they are put together, and a random number for each row.
    needed = rows * (2 * len(domain) * code_dtype(domain).itemsize + 16)
    if needed > available_bytes():
        raise UsageError(
            f"-n/--rows: {count_text(rows)} rows need {in_units(needed)} of memory, and "
            f"{in_units(available_bytes())} may be used. Draw fewer."
        )
