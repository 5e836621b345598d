"""Results that print themselves: tables, beliefs, explanations and drawings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from pgmstudio.core.errors import FileError, UnknownNameError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.reports.pictures import PICTURE_ENDINGS, picture_of

if TYPE_CHECKING:
    import pandas
    import polars

_BAR = 24  # characters of a bar of length 1


@dataclass(frozen=True)
class Table:
    """Rows of named cells, shown as text in a terminal and as a table in a notebook."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, records: Sequence[Mapping[str, Any]]) -> Table:
        """A table from dicts with the same keys."""
        columns = tuple(records[0]) if records else ()
        return cls(columns, tuple(tuple(record[c] for c in columns) for record in records))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: str) -> tuple[Any, ...]: ...

    def __getitem__(self, index: int | str) -> dict[str, Any] | tuple[Any, ...]:
        """A row by its number, or a column by its name."""
        if isinstance(index, int):
            return dict(zip(self.columns, self.rows[index], strict=True))
        if index not in self.columns:
            raise UnknownNameError("column", index, self.columns)
        at = self.columns.index(index)
        return tuple(row[at] for row in self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict per row."""
        return list(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame; needs pandas."""
        import pandas

        return pandas.DataFrame(list(self.rows), columns=list(self.columns))

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame."""
        import polars

        return polars.DataFrame(list(self.rows), schema=list(self.columns), orient="row")

    def __repr__(self) -> str:
        cells = [self.columns, *(tuple(map(_text, row)) for row in self.rows)]
        widths = [max(len(row[n]) for row in cells) for n in range(len(self.columns))]
        lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = (
            "<tr>" + "".join(f"<td>{escape(_text(cell))}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Beliefs(Mapping[str, Mapping[str, float]]):
    """Beliefs by variable and state, and the probability of the evidence.

    `log2_evidence` is log2 P(evidence); of a possibilistic network, of its degree of possibility.
    Its values are degrees of possibility, not scaled, and `necessity` has N of the same states.
    `errors` are half widths of 95 % intervals, of estimates.
    """

    values_by_variable: Mapping[str, Mapping[str, float]]
    log2_evidence: float
    necessity: Mapping[str, Mapping[str, float]] | None = None
    errors: Mapping[str, Mapping[str, float]] | None = None

    @property
    def probability_of_evidence(self) -> float:
        return math.exp2(self.log2_evidence)

    def __getitem__(self, variable: str) -> Mapping[str, float]:
        return self.values_by_variable[variable]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_variable)

    def __len__(self) -> int:
        return len(self.values_by_variable)

    @property
    def table(self) -> Table:
        """One row per state."""
        columns = ("variable", "state", "value")
        rows = ((v, s, p) for v, states in self.items() for s, p in states.items())
        for name, more in (("necessity", self.necessity), ("error", self.errors)):
            if more is not None:
                return Table((*columns, name), tuple((v, s, p, more[v][s]) for v, s, p in rows))
        return Table(columns, tuple(rows))

    def _value_text(self, variable: str, state: str) -> str:
        value = f"{self[variable][state]:.4f}"
        if self.errors is not None:
            return f"{value} ± {self.errors[variable][state]:.4f}"
        if self.necessity is None:
            return value
        return f"Π {value}  N {self.necessity[variable][state]:.4f}"

    def to_pandas(self) -> pandas.DataFrame:
        """Variable, state, value and, of possibilities, necessity; needs pandas."""
        return self.table.to_pandas()

    def __repr__(self) -> str:
        width = max((len(s) for states in self.values() for s in states), default=0)
        lines = []
        for variable, states in self.items():
            lines.append(variable)
            for state, value in states.items():
                bar = "█" * round(value * _BAR)
                text = self._value_text(variable, state)
                lines.append(f"  {state:<{width}}  {bar:<{_BAR}}  {text}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for variable, states in self.items():
            for number, (state, value) in enumerate(states.items()):
                name = f"<th>{escape(variable)}</th>" if number == 0 else "<th></th>"
                bar = (
                    f'<div style="background:#3b6fb6;height:0.7em;width:{100 * value:.2f}px"></div>'
                )
                text = self._value_text(variable, state)
                rows.append(f"<tr>{name}<td>{escape(state)}</td><td>{bar}</td><td>{text}</td>")
        return f"<table><tbody>{'</tr>'.join(rows)}</tr></tbody></table>"


@dataclass(frozen=True)
class Explanation(Mapping[str, str]):
    """The most probable states of several variables together.

    `log2_probability` is given the evidence. `is_exact` is False where the search was cut short or
    only a bound is known; no combination is above `log2_bound`.
    """

    states: Mapping[str, str]
    log2_probability: float
    is_exact: bool = True
    log2_bound: float | None = None

    @property
    def probability(self) -> float:
        return math.exp2(self.log2_probability)

    def __getitem__(self, variable: str) -> str:
        return self.states[variable]

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        quality = "" if self.is_exact else ", not proven to be the best"
        states = "\n".join(f"  {name} = {state}" for name, state in self.items())
        return f"probability {self.probability:.4g}{quality}\n{states}"

    def _repr_html_(self) -> str:
        quality = "" if self.is_exact else ", not proven to be the best"
        states = Table(("variable", "state"), tuple(self.items()))._repr_html_()
        return f"<p>probability {self.probability:.4g}{quality}</p>{states}"


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG; a notebook shows it."""

    svg: str

    def save(self, path: Path | str) -> None:
        """Write an SVG, PNG or PDF file, by the ending; the last two need the extra `gui`."""
        ending = Path(path).suffix.lower()
        if ending not in PICTURE_ENDINGS:
            raise FileError(path, f"must end in {', '.join(PICTURE_ENDINGS)}.")
        replace_file(Path(path), picture_of(self.svg, ending))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Drawing of {len(self.svg):,} characters of SVG; save(path) writes it."
