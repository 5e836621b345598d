"""Data and model files of a command: options, reading, writing, and their messages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.terminal.output import count_of
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed_names,
    number,
    whole_number,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import STANDARD, input_file, output_file
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.transforms import fitted_to
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import (
    DataFileError,
    ModelFileError,
    UnknownNameError,
)
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.background_knowledge import read_knowledge
from pgmstudio.core.io.data.options import DEFAULT_MARKERS, ImportOptions
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.io.models.files import (
    ModelFile,
    is_model_path,
    known_endings,
    read_model,
    write_model,
)
from pgmstudio.core.io.reading_limits import set_read_limit
from pgmstudio.core.languages.registry import a_kind, no_likelihood_reason
from pgmstudio.core.large_counts import count_text, in_units
from pgmstudio.core.model import Model
from pgmstudio.core.reports.pictures import PICTURE_ENDINGS, picture_of

if TYPE_CHECKING:
    from pgmstudio.core.data.dataset import Imported
    from pgmstudio.core.graphs.background_knowledge import Knowledge
    from pgmstudio.core.io.data.large_table import ChunkReader
    from pgmstudio.core.io.data.options import ImportOptions
    from pgmstudio.core.learning.base import Learner

# Only this many are listed; the rest is counted.
MAX_LISTED = 5

# Parts of its advice on numbers that may stand for missing values and on sets of states.
_ADVICE = {
    "make it a missing marker": "Option: --missing-marker=TEXT.",
    "read the rows as imprecise": "Option: --imprecise.",
}

_DELIMITERS = {"tab": "\t", "blanks": " ", "comma": ",", "semicolon": ";"}


def add_data_options(
    parser: CommandParser, target: str = "class column of the mdl discretisation"
) -> None:
    """Add the options for reading data files, the same for every command.

    `target` is the help of --target, which some commands use for more.
    """
    group = parser.add_argument_group("reading data")
    group.add_argument(
        "--missing-as-state",
        action="store_true",
        help="make missing cells (empty, ? or NA) a state of their own",
    )
    group.add_argument(
        "--missing-marker",
        metavar="TEXT",
        action="append",
        default=[],
        help="treat cells with this text as missing too: --missing-marker=-999",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="delimiter between cells; tab and blanks by name (default: detected)",
    )
    group.add_argument(
        "--bins",
        type=whole_number(2),
        metavar="N",
        help="discretise columns of many numbers into N intervals",
    )
    group.add_argument(
        "--binning",
        metavar="HOW",
        help="discretise by width, frequency, quantile, kmeans, nice, or mdl with --target",
    )
    group.add_argument("--target", metavar="COLUMN", help=target)
    group.add_argument("--frequency", metavar="COLUMN", help="column with the count of each row")
    group.add_argument(
        "--as-states",
        metavar="COLUMN,…",
        action="append",
        default=[],
        help="use the numbers of these columns as states, however many",
    )
    group.add_argument(
        "--leave-out", metavar="COLUMN,…", action="append", default=[], help="skip these columns"
    )
    group.add_argument(
        "--sheet", "--table", metavar="NAME", help="sheet of a workbook, or table of a database"
    )
    group.add_argument(
        "--imprecise",
        action="store_true",
        help="cells such as {red,green} are sets of states and * is unknown; possibilistic "
        "learners use the sets, others take such cells as missing",
    )
    group.add_argument(
        "--read-limit",
        type=number(0, low_open=True),
        metavar="GB",
        help="limit of the unpacked size of a file and of the memory for reading it (default: 4)",
    )


def add_large_table_options(parser: CommandParser) -> None:
    """Add the options for tables that are larger than memory."""
    group = parser.add_argument_group("large tables")
    group.add_argument(
        "--stream",
        action="store_true",
        help="read the rows in chunks, so that they need not fit into memory: .parquet and text; "
        "files of more than 10^9 cells or 2 GB of text are read so in any case",
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="have the chunks read by the workers of a Dask scheduler, tcp://HOST:PORT; they need "
        "the file at the same path",
    )


def read_large_table(
    path: str, args: argparse.Namespace, line: ProgressLine, learner: Learner[Any]
) -> DataSet | None:
    """The table of a file that stays there; None if it is to be read into memory."""
    from pgmstudio.core.io.data.large_table import HERE, is_large, open_table

    is_requested = args.stream or args.cluster is not None
    if path == STANDARD:
        if is_requested:
            raise UsageError("--stream: standard input cannot be read twice. Give a file.")
        return None
    if not is_requested and not (getattr(learner, "passes", None) and is_large(path)):
        return None
    reader: ChunkReader = HERE
    if args.cluster is not None:
        from pgmstudio.core.io.data.cluster_reader import ClusterReader

        reader = ClusterReader(args.cluster)
    options = import_options(args)
    lists = (options.leave_out, options.as_states)
    leave_out, as_states = (
        tuple(name for names in columns for name in names.split(",")) for columns in lists
    )
    options = replace(options, leave_out=leave_out, as_states=as_states)

    def report(fraction: float) -> None:
        line.show(Progress(fraction, f"Reading {Path(path).name}"))

    imported = open_table(path, options, reader=reader, report=report)
    for note in imported.warnings[:MAX_LISTED]:
        line.message(note)
    count = count_of(imported.data.row_count, "row")
    line.message(f"The table stays in its file and is read in chunks: {count}.")
    return imported.data


def read_rows_for_domain(
    domain: Domain, path: str, args: argparse.Namespace, line: ProgressLine
) -> DataSet:
    """The rows of a file with the columns and states of a domain; other states are an error."""
    options = replace(import_options(args), bins=None, domain=domain)
    return _import(path, options, line).data.select_columns(domain.names)


def add_output_file(parser: CommandParser, metavar: str) -> None:
    """Add the file to write, as the last argument or after -o."""
    parser.add_argument("last", nargs="?", metavar=metavar, help="file to write")
    parser.add_argument("-o", "--output", metavar=metavar, help="the same as the last argument")


def import_options(args: argparse.Namespace) -> ImportOptions:
    """The options of `add_data_options` for the importer."""
    if args.read_limit is not None:
        set_read_limit(args.read_limit)
    binning = {} if args.binning is None else {"binning": args.binning}
    return ImportOptions(
        delimiter=_DELIMITERS.get(args.delimiter, args.delimiter),
        markers=tuple(dict.fromkeys((*DEFAULT_MARKERS, *args.missing_marker))),
        missing_as_state=args.missing_as_state,
        imprecise=args.imprecise,
        bins=args.bins,
        target=args.target,
        frequency=args.frequency,
        leave_out=tuple(args.leave_out),
        as_states=tuple(args.as_states),
        sheet=args.sheet,
        **binning,
    )


def _import(path: str, options: ImportOptions, line: ProgressLine) -> Imported:
    from pgmstudio.core.io.data.encoding import INTO_BINS
    from pgmstudio.core.io.data.reader import import_data

    def separated(known: Sequence[str]) -> ImportOptions:
        """With lists of columns in one argument taken apart."""
        lists = (options.leave_out, options.as_states)
        leave_out, as_states = (tuple(listed_names(columns, known)) for columns in lists)
        return replace(options, leave_out=leave_out, as_states=as_states)

    try:
        with input_file(path, ".csv") as file:
            try:
                imported = import_data(file, options)
            except UnknownNameError as error:
                if error.what != "column" or separated(error.known) == options:
                    raise
                imported = import_data(file, separated(error.known))
    except DataFileError as error:
        if INTO_BINS in error.headline:
            advice = "Options: --bins N, --as-states COLUMN, --leave-out COLUMN."
            raise DataFileError(path, f"{error.headline} {advice}", error.problems) from None
        raise
    for note in imported.warnings[:MAX_LISTED]:
        hints = [option for text, option in _ADVICE.items() if text in note]
        line.message(" ".join((note, *hints)))
    if len(imported.warnings) > MAX_LISTED:
        line.message(f"… and {count_of(len(imported.warnings) - MAX_LISTED, 'more note')}.")
    return imported


def read_rows(path: str, args: argparse.Namespace, line: ProgressLine) -> DataSet:
    """The rows of a file; variables have the states that occur in it."""
    return _import(path, import_options(args), line).data


def read_together(
    path: str, other_path: str, args: argparse.Namespace, line: ProgressLine
) -> tuple[DataSet, DataSet]:
    """Two files over one domain: the first's columns and bin edges, and the states of both.

    A state that only the second file has becomes a state of the domain too, so that a model learned
    from the first can be measured on the second.
    """
    from pgmstudio.core.io.data.reader import common_domain

    options = import_options(args)
    first = _import(path, options, line)
    # The second file has the bin edges of the first.
    as_states = tuple(name for name in first.data.domain.names if name not in first.cuts)
    rest = replace(options, bins=None, discretise=first.cuts, as_states=as_states)
    parts = [first.data, _import(other_path, rest, line).data]
    domain = common_domain([Path(path), Path(other_path)], parts)
    unseen = [
        f"{variable.name} = {state}"
        for variable in domain
        for state in variable.states
        if state not in first.data.domain[variable.name].states
    ]
    if unseen:
        more = f" and {len(unseen) - MAX_LISTED} more" if len(unseen) > MAX_LISTED else ""
        line.message(
            f"{count_of(len(unseen), 'state')} only in {other_path} added: "
            f"{', '.join(unseen[:MAX_LISTED])}{more}."
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
    """The rows of a file with the model's states; other states are an error.

    So are absent columns, unless they may be missing in every row; then a message lists them.
    """
    options = replace(
        import_options(args), bins=None, domain=model.domain, absent_as_missing=may_lack_columns
    )
    data = _import(path, options, line).data.select_columns(model.domain.names)
    counts = zip(data.domain.names, data.missing_counts, strict=True)
    empty = [name for name, count in counts if count == data.row_count > 0]
    if may_lack_columns and empty:
        more = ", …" if len(empty) > MAX_LISTED else ""
        line.message(f"Missing in every row: {', '.join(empty[:MAX_LISTED])}{more}.")
    return data


def open_model(path: str, line: ProgressLine) -> ModelFile:
    """Read a model file; its reader's notes are printed."""
    with input_file(path, ".json") as source:
        file = read_model(source)
    for note in file.warnings:
        line.message(note)
    return file


def open_models(paths: Sequence[str], line: ProgressLine) -> dict[str, Model]:
    """Models by file name without ending; by path where these names are not unique."""
    short = [Path(path).stem for path in paths]
    names = short if len(set(short)) == len(short) else list(paths)
    return {name: open_model(path, line).model for name, path in zip(names, paths, strict=True)}


def save_model(path: str, file: ModelFile, line: ProgressLine) -> tuple[str, ...]:
    """Write a model file; what the format cannot hold is printed and returned."""
    with output_file(path, ".json") as target:
        lost = tuple(write_model(target, file))
    for message in lost:
        line.message(message)
    return lost


def save_rows(path: str, data: DataSet, *, quoted: bool) -> None:
    """Write rows in the format of the file's ending, as CSV to standard output."""
    from pgmstudio.core.io.data.reader import write_data

    with output_file(path, ".csv") as target:
        write_data(target, data, quoted=quoted)


def save_content(path: str, content: bytes) -> None:
    """Write a file, or to standard output."""
    with output_file(path, "") as target:
        replace_file(target, content)


def check_picture_path(path: str | None) -> None:
    """UsageError unless a picture can have this ending."""
    check_ending(path, PICTURE_ENDINGS, "pictures")


def save_picture(path: str, svg: str) -> None:
    """Write a drawing as SVG, PNG or PDF, by the ending of the file; SVG to standard output."""
    ending = ".svg" if path == STANDARD else Path(path).suffix.lower()
    save_content(path, picture_of(svg, ending))


def save_table(path: str, text: str, *, quoted: bool) -> None:
    """Write a table of comma-separated values."""
    with output_file(path, ".csv") as target:
        write_csv(target, text, quoted=quoted)


def check_ending(path: str | None, endings: Sequence[str], what: str) -> None:
    """UsageError unless the path has one of these endings."""
    if path not in (None, STANDARD) and Path(path or "").suffix.lower() not in endings:
        raise UsageError(f"{path} must end in {' or '.join(endings)}, the format of {what}.")


def read_knowledge_file(path: str | None) -> Knowledge | None:
    """The background knowledge of --knowledge; None without a file."""
    if path is None:
        return None
    return read_knowledge(path)


def check_model_path(path: str) -> None:
    """ModelFileError before a long run if no model can be written to this path."""
    if path == STANDARD:
        return
    if not is_model_path(path):
        listed = ", ".join(known_endings())
        raise ModelFileError(path, f"does not have an ending of a model file: {listed}.")
    if not Path(path).absolute().parent.is_dir():
        raise ModelFileError(path, f"cannot be written: there is no folder {Path(path).parent}.")


def check_memory(rows: int, domain: Domain) -> None:
    """UsageError if so many rows do not fit into memory."""
    from pgmstudio.core.inference.junction_tree.cost import available_bytes

    # The codes, a copy while they are assembled, and a random number for each row.
    needed = rows * (2 * len(domain) * code_dtype(domain).itemsize + 16)
    if needed > available_bytes():
        raise UsageError(
            f"-n/--rows: {count_text(rows)} rows need {in_units(needed)} of memory, and "
            f"{in_units(available_bytes())} are available. Draw fewer."
        )


def refuse_without_probabilities(model: Model, what: str, remedy: str) -> None:
    """UsageError where a command computes with probabilities and the model has none."""
    if no_likelihood_reason(model.kind):
        raise UsageError(f"{what}, and {a_kind(model.kind)} has no probabilities. {remedy}")
