"""ImportOptions: the settings by which a file becomes a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pgmstudio.core.data.discretization import METHODS, Cuts, Discretisation
from pgmstudio.core.data.imprecise import UNKNOWN
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ParameterError

DEFAULT_MARKERS = ("", "?", "NA")

# Offered by the window; too often a state or a number to be missing unasked.
SUGGESTED_MARKERS = (
    *DEFAULT_MARKERS,
    *("NaN", "nan", "N/A", "n/a", "#N/A", "null", "NULL", "None", "*", ".", "-", "--"),
    *("missing", "unknown", "-1", "-9", "-99", "-999", "-9999", "9999"),
)

# Texts that hardly ever are states; a column of words that has one is pointed out.
LIKELY_MARKERS = frozenset(
    (
        *("nan", "n/a", "#n/a", "null", "none", "*", ".", "-", "--", "na", "?"),
        *("missing", "unknown"),
    )
)

# A column of numbers with more distinct values than this is measured, not counted off.
MANY_NUMBERS = 20


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How to read a file; whatever is None is detected.

    Blanks around a cell never count. Columns are meant by their name in the file, or X1, X2, …
    where the file has no header.
    """

    delimiter: str | None = None  # one character; " " is any run of blanks
    encoding: str | None = None
    header: bool | None = None
    decimal: str | None = None  # "." or ","
    sheet: str | None = None  # of a workbook, or the table of a database
    markers: tuple[str, ...] = DEFAULT_MARKERS
    missing_as_state: bool = False
    imprecise: bool = False  # a cell may be a set of states, {red,green}, or * for any
    leave_out: tuple[str, ...] = ()
    frequency: str | None = None  # the column of row weights
    bins: int | None = None  # cut every column of many numbers into so many
    binning: str = "frequency"
    target: str | None = None  # the column that binning "mdl" separates
    discretise: Mapping[str, Discretisation | Cuts] = field(default_factory=dict)
    as_states: tuple[str, ...] = ()  # columns whose numbers are states, however many
    many_numbers: int = MANY_NUMBERS
    domain: Domain | None = None  # columns and states as a model names them; others are refused
    absent_as_missing: bool = (
        False  # a column of `domain` that the file lacks is missing everywhere
    )
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = {}
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n' or not self.delimiter.isascii()
        ):
            problems["delimiter"] = "must be one character, such as , or ;"
        if self.decimal not in (None, ".", ","):
            problems["decimal"] = "must be . or ,"
        if self.decimal == "," and self.delimiter == ",":
            problems["decimal"] = "cannot be the delimiter too"
        if self.bins is not None and not isinstance(self.bins, int):
            problems["bins"] = f"{self.bins!r} is not a whole number"
        elif self.bins is not None and not 1 <= self.bins <= 1000:
            problems["bins"] = "must be between 1 and 1000"
        if self.binning not in METHODS:
            problems["binning"] = f"{self.binning!r} is not one of {', '.join(METHODS)}"
        elif self.binning == "mdl" and self.bins is not None and self.target is None:
            problems["target"] = "mdl needs a target column"
        if self.imprecise and self.missing_as_state:
            problems["missing_as_state"] = "a missing cell of imprecise rows may be any state"
        if self.encoding is not None and not _is_encoding(self.encoding):
            problems["encoding"] = f"{self.encoding!r} is not a text encoding"
        if problems:
            raise ParameterError(problems)

    @property
    def all_markers(self) -> tuple[str, ...]:
        """The markers, with that of any state where cells may be sets."""
        return (*self.markers, UNKNOWN) if self.imprecise else self.markers

    def cutting_of(self, column: str) -> Discretisation | Cuts | None:
        """Discretisation of `column`; None if none is given."""
        if column in self.discretise:
            return self.discretise[column]
        if self.bins is None or column == self.target:
            return None
        return Discretisation(self.binning, self.bins, target=self.target)


def _is_encoding(name: str) -> bool:
    try:
        "a".encode(name)
    except (LookupError, ValueError):
        return False
    return True
