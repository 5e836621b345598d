"""Files of edge prices: our JSON, a table of pairs, or a matrix.

- `.json`: `prices` as [variable, variable, nats].
- a table with a pair and its price per line; a line of titles before them is optional.
- a matrix: the names in the first line and before each line, as pandas writes a frame. Empty cells
  are 0; of a pair one cell is enough, and two must be equal.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.errors import FileError, ParameterError
from pgmstudio.core.graphs.edge_prices import EdgePrices, Price
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.models.files import decode_text, read_bytes
from pgmstudio.core.json_documents import JsonElement, parse_json, render_json

SCHEMA = "pgmstudio-edge-prices"
VERSION = 1

_Line = tuple[int, list[str]]


def read_edge_prices(path: Path | str) -> EdgePrices:
    """Read the prices of a file in any of the three forms."""
    path = Path(path)
    content = read_bytes(path)
    if path.suffix.lower() == ".json":
        return edge_prices_of_document(parse_json(content, path, error=FileError))
    lines = _lines(path, decode_text(content)[0])
    if not lines:
        raise FileError(path, "holds no prices: a pair of variables and a number per line.")
    _, first = lines[0]
    is_matrix = first[0] == "" or len(first) != 3
    prices = _matrix_prices(path, lines) if is_matrix else _listed_prices(path, lines)
    try:
        return EdgePrices(tuple(prices))
    except ParameterError as error:
        raise FileError(path, f"{error.problems['edge_prices']}.") from None


def write_edge_prices(path: Path | str, prices: EdgePrices) -> None:
    """Write `.json`, or else a table of pairs."""
    path = Path(path)
    if path.suffix.lower() == ".json":
        replace_file(path, render_json(edge_prices_document(prices)))
        return
    rows = [("from", "to", "price"), *((a, b, repr(price)) for a, b, price in prices.prices)]
    replace_file(path, csv_text(rows, "\t" if path.suffix.lower() == ".tsv" else ",").encode())


def edge_prices_document(prices: EdgePrices) -> dict[str, Any]:
    """The prices as plain values, in a fixed order."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "prices": [list(price) for price in prices.prices],
    }


def edge_prices_of_document(document: JsonElement) -> EdgePrices:
    """Prices from a JSON document."""
    schema, version = document.get("schema"), document.get("version")
    if schema is not None and schema.text() != SCHEMA:
        document.fail(f"is not a file of edge prices: its schema is “{schema.text()}”.")
    if version is not None and version.whole() > VERSION:
        document.fail("was written by a newer PGM Studio. Update the program to open it.")
    prices: list[Price] = []
    for element in document["prices"].elements():
        parts = element.elements()
        if len(parts) != 3:
            element.fail("a price is a list of two names and a number.")
        prices.append((parts[0].text(), parts[1].text(), parts[2].number()))
    try:
        return EdgePrices(tuple(prices))
    except ParameterError as error:
        document.fail(f"{error.problems['edge_prices']}.")


def _lines(path: Path, text: str) -> list[_Line]:
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                lines.append((reader.line_num, cells))
    except csv.Error as problem:
        raise FileError(path, f"line {reader.line_num}: {problem}.") from None
    return lines


def _price(path: Path, line: int, text: str) -> float:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        raise FileError(path, f"line {line}: “{text}” is not a price in nats.") from None


def _listed_prices(path: Path, lines: list[_Line]) -> list[Price]:
    try:
        float(lines[0][1][2].replace("−", "-"))
    except ValueError:
        lines = lines[1:]  # titles
    prices = []
    for line, cells in lines:
        if len(cells) != 3 or not all(cells):
            raise FileError(path, f"line {line}: expected two names and a price.")
        prices.append((cells[0], cells[1], _price(path, line, cells[2])))
    return prices


def _matrix_prices(path: Path, lines: list[_Line]) -> list[Price]:
    (_, (_, *names)), *rows = lines
    prices = []
    for line, (name, *cells) in rows:
        if name not in names or len(cells) > len(names):
            raise FileError(path, f"line {line}: “{name}” has no column, or too many cells.")
        for other, cell in zip(names, cells, strict=False):
            price = _price(path, line, cell) if cell else 0.0
            if name == other and price:
                raise FileError(path, f"line {line}: {name} has a price with itself.")
            if name != other and cell:
                prices.append((name, other, price))
    return prices
