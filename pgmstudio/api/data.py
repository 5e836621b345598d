"""Tables of data: from files and from frames of pandas, polars and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pgmstudio.api.answers import Table
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet, Imported
from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.resampling import split
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, DataFileError, named
from pgmstudio.core.io.data.encoding import INTO_BINS
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, import_frame, write_data
from pgmstudio.core.resources import folder_of

if TYPE_CHECKING:
    import pandas
    import polars

MAX_ROWS_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Data:
    """A table of states; a missing cell is None.

    `cuts` are the bin edges of discretized columns; `notes` say what was decided on reading.
    """

    dataset: DataSet
    cuts: Mapping[str, Cuts] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.dataset.row_count

    @property
    def columns(self) -> tuple[str, ...]:
        return self.dataset.domain.names

    @property
    def states(self) -> dict[str, tuple[str, ...]]:
        """The states of every column."""
        return {variable.name: variable.states for variable in self.dataset.domain}

    def split(self, test: float = 0.2, *, seed: int = 0) -> tuple[Data, Data]:
        """Training and test rows, drawn at random."""
        train, rest = split(self.dataset, (1 - test, test), seed).parts(self.dataset)
        return Data(train, self.cuts), Data(rest, self.cuts)

    def head(self, rows: int = MAX_ROWS_SHOWN) -> Table:
        """The first rows as a table."""
        return Table(self.columns, tuple(zip(*self._cells(rows).values(), strict=True)))

    def _cells(self, rows: int | None = None) -> dict[str, list[str | None]]:
        data = self.dataset
        cells: dict[str, list[str | None]] = {}
        for variable, codes in zip(data.domain, data.codes[:, :rows], strict=True):
            states = [*variable.states]
            missing = data.missing_code
            cells[variable.name] = [None if c == missing else states[c] for c in codes.tolist()]
        return cells

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame whose columns are enumerations with the states in order."""
        import polars

        schema = {v.name: polars.Enum(list(v.states)) for v in self.dataset.domain}
        return polars.DataFrame(self._cells(), schema=schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame of categorical columns; needs pandas."""
        import pandas

        cells = self._cells()
        return pandas.DataFrame(
            {
                v.name: pandas.Categorical(cells[v.name], categories=list(v.states))
                for v in self.dataset.domain
            }
        )

    def save(self, path: Path | str) -> None:
        """Write the table in the format of the file's ending (.csv, .parquet, .arff, …)."""
        write_data(path, self.dataset)

    def __repr__(self) -> str:
        missing = sum(self.dataset.missing_counts)
        cells = f", {missing:,} missing cells" if missing else ""
        more = f"\n… {len(self) - MAX_ROWS_SHOWN:,} more" if len(self) > MAX_ROWS_SHOWN else ""
        head = f"{len(self):,} rows, {len(self.columns)} columns{cells}"
        if isinstance(self.dataset, ChunkedData):
            return f"{head}, read in chunks"
        return f"{head}\n{self.head()!r}{more}"

    def _repr_html_(self) -> str:
        missing = sum(self.dataset.missing_counts)
        head = f"{len(self):,} rows, {len(self.columns)} columns, {missing:,} missing cells"
        if isinstance(self.dataset, ChunkedData):
            return f"<p>{head}, read in chunks</p>"
        return f"<p>{head}</p>{self.head()._repr_html_()}"


# A table, a path, or a frame of pandas, polars, pyarrow, …
TableLike: TypeAlias = Data | DataSet | Path | str | Any


def read_data(
    source: TableLike, *, stream: bool = False, cluster: str | None = None, **options: Any
) -> Data:
    """A table from a file or a frame.

    With `stream` the rows of a Parquet or text file stay there and are read in chunks, so that they
    need not fit into memory; `cluster` is the address of a Dask scheduler whose workers read them.
    Learners that need only counts or sums over the rows take such a table.

    The options are those of the importer: `bins` and `binning` discretize columns of many numbers,
    `frequency` names the column with the count of each row, `markers` the texts of missing cells,
    `as_states` and `leave_out` columns, `target` the class of `binning="mdl"`. With `imprecise` a
    cell such as {red,green} is a set of states, which possibilistic learners use.

    >>> len(read_data(sample_path("coronary.csv")))
    1841
    """
    if isinstance(source, Data):
        return source
    if isinstance(source, DataSet):
        return Data(source)
    known = ImportOptions.__dataclass_fields__
    for name in options:
        named("option of read_data", name, known)
    settings = ImportOptions(**options)
    try:
        if stream or cluster is not None:
            imported = _opened(source, settings, cluster)
        elif isinstance(source, Path | str):
            imported = import_data(source, settings)
        else:
            frame, declared = polars_frame(source)
            imported = import_frame(frame, settings, declared)
    except DataFileError as error:
        if INTO_BINS in error.headline:
            advice = "Options of read_data: bins=N, as_states=[COLUMN, …], leave_out=[COLUMN, …]."
            headline = f"{error.headline} {advice}"
            raise DataFileError(error.path, headline, error.problems) from None
        raise
    return Data(imported.data, imported.cuts, imported.warnings)


def _opened(source: TableLike, options: ImportOptions, cluster: str | None) -> Imported:
    """A table that stays in its file."""
    from pgmstudio.core.io.data.large_table import HERE, open_table

    if not isinstance(source, Path | str):
        raise DataError("Only a file can be read in chunks. Give its path.")
    if cluster is None:
        return open_table(source, options, reader=HERE)
    from pgmstudio.core.io.data.cluster_reader import ClusterReader

    return open_table(source, options, reader=ClusterReader(cluster))


def rows_for(domain: Domain, source: TableLike) -> DataSet:
    """The rows of a table with the variables and states of a model; absent ones are missing."""
    if isinstance(source, Data | DataSet):
        data = source.dataset if isinstance(source, Data) else source
        if not any(name in data.domain for name in domain.names):
            shown = ", ".join(domain.names[:8])
            raise DataError(f"The rows have no column of the model, which has {shown}.")
        return rows_over(data, domain)
    return read_data(source, domain=domain, absent_as_missing=True).dataset.select_columns(
        domain.names
    )


def sample_path(name: str) -> Path:
    """The path of a file of sample data, such as "asia.json"."""
    folder = folder_of("sample_data")
    return named("sample", name, {path.name: path for path in sorted(folder.iterdir())})


def polars_frame(frame: Any) -> tuple[polars.DataFrame, dict[str, tuple[str, ...]]]:
    """Any frame as one of polars, and the states that its categorical columns declare."""
    import narwhals.stable.v2 as narwhals
    import polars
    from narwhals.exceptions import DuplicateError

    try:
        narrow = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"A table is a path, or a frame of pandas, polars or pyarrow, "
            f"not a value of type {type(frame).__name__}."
        ) from None
    except DuplicateError:
        names = list(map(str, frame.columns))
        raise _same_name(next(name for name in names if names.count(name) > 1)) from None
    columns: dict[str, polars.Series] = {}
    declared: dict[str, tuple[str, ...]] = {}
    for column in narrow.iter_columns():  # names need not be texts
        name = str(column.name)
        if name in columns:
            raise _same_name(name)
        if isinstance(column.dtype, narwhals.Categorical | narwhals.Enum):
            declared[name] = tuple(map(str, column.cat.get_categories().to_list()))
            column = column.cast(narwhals.String)
        values = column.to_numpy() if column.dtype.is_numeric() else None
        if values is not None and values.dtype.kind in "iuf":
            columns[name] = polars.Series(name, values).fill_nan(None)
            continue
        cells = [None if cell != cell else cell for cell in column.to_list()]  # NaN is missing
        columns[name] = polars.Series(name, cells, strict=False)
    return polars.DataFrame(columns), declared


def _same_name(name: str) -> DataError:
    return DataError(f"Several columns are called {name}. Rename all but one.")
