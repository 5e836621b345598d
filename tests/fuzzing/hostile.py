"""Files that ask for endless time or memory, made to measure; each with the reader they attack."""

from __future__ import annotations

import io
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import openpyxl
import polars

NODES = 20_000
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(cell: str, member: str = "xl/worksheets/sheet1.xml", strings: bytes = b"") -> bytes:
    """A workbook with a cell at A1 and another one as written; with shared strings if given."""
    whole, made = io.BytesIO(), io.BytesIO()
    book = openpyxl.Workbook()
    book.save(whole)
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData><row><c r="A1"><v>1</v></c></row><row>{cell}'
    sheet += "<v>0</v></c></row></sheetData></worksheet>"
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as to:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                name, content = member, sheet.encode()
            to.writestr(name, content.replace(b"/xl/worksheets/sheet1.xml", f"/{member}".encode()))
        if strings:
            to.writestr("xl/sharedStrings.xml", strings)
    return made.getvalue()


def shared_strings() -> bytes:
    text = b"a" * 200_000_000
    return workbook('<c r="A2" t="s">', strings=b"<sst><si><t>" + text + b"</t></si></sst>")


def parquet_flips() -> Iterator[bytes]:
    """A small table with each bit of every fourth byte of its footer wrong."""
    stream = io.BytesIO()
    polars.DataFrame({"x": ["a", "b", None] * 5, "n": [1.5, 2.5, 3.5] * 5}).write_parquet(stream)
    whole = stream.getvalue()
    for index in [*range(4, 160, 3), *range(len(whole) - 120, len(whole), 3)]:
        flipped = bytearray(whole)
        flipped[index] ^= 1
        yield bytes(flipped)


def database(column: str, rows: int = 12) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE t (n INTEGER, x TEXT AS ({column}))")
            connection.executemany("INSERT INTO t (n) VALUES (?)", [(i,) for i in range(rows)])
        return path.read_bytes()


def _names(count: int, start: str = "v") -> list[str]:
    return [f"{start}{i}" for i in range(count)]


def one_line() -> dict[str, str]:
    """Networks of thousands of nodes without a single line end."""
    names, last = _names(NODES), NODES - 1
    return {
        ".bif": "".join(
            f"variable {v} {{ type discrete [2] {{ a, b }}; }} probability ( {v} ) "
            "{ table 0.5, 0.5; } "
            for v in names
        ),
        ".net": "net {} "
        + "".join(
            f'node {v} {{ states = ("a" "b"); }} potential ( {v} ) {{ data = ( 0.5 0.5 ); }} '
            for v in names
        ),
        ".dne": "bnet x { "
        + "".join(f"node {v} {{ states = (a, b); probs = (0.5, 0.5); }}; " for v in names)
        + " };",
        ".dsc": 'belief network "x" '
        + "".join(f'node {v} {{ type : discrete[2] = {{ "a", "b" }}; }} ' for v in names)
        + "".join(f"probability ( {v} ) {{ 0.5, 0.5; }} " for v in names),
        ".gml": "graph [ directed 1 "
        + "".join(f'node [ id {i} label "{v}" ] ' for i, v in enumerate(names))
        + "".join(f"edge [ source {i} target {i + 1} ] " for i in range(last))
        + "]",
        ".dot": "digraph { " + "".join(f"v{i} -> v{i + 1}; " for i in range(last)) + "}",
        ".bnstr": "".join(f"[{v}]" for v in names),
        ".uai": f"BAYES {NODES} {'2 ' * NODES}{NODES} "
        + " ".join(f"1 {i}" for i in range(NODES))
        + " 2 0.5 0.5" * NODES,
        ".xdsl": "<smile><nodes>"
        + "".join(
            f'<cpt id="{v}"><state id="a"/><state id="b"/><probabilities>0.5 0.5</probabilities>'
            "</cpt>"
            for v in names
        )
        + "</nodes></smile>",
    }


def _bif_of_parents(count: int, cards: int) -> str:
    states = ", ".join(_names(cards, "s"))
    text = "variable x { type discrete [2] { a, b }; } "
    text += "".join(
        f"variable {v} {{ type discrete [{cards}] {{ {states} }}; }} " for v in _names(count)
    )
    return f"{text} probability ( x | {', '.join(_names(count))} ) {{ default 0.5, 0.5; }}"


def hostile_files() -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """Reader, file name and content, made when it is asked for."""
    far = {
        "corner": '<c r="XFD1048576">',
        "digits": '<c r="XFD0001048576">',
        "single": "<c r='XFD1048576'>",
        "lower": '<c r="xfd1048576">',
        "blank": '<c r ="XFD1048576">',
    }
    for name, cell in far.items():
        yield "table .xlsx", f"{name}.xlsx", lambda cell=cell: workbook(cell)
    yield "table .xlsx", "elsewhere.xlsx", lambda: workbook(far["corner"], "xl/other/sheet1.xml")
    yield "table .xlsx", "strings.xlsx", shared_strings
    for number, content in enumerate(parquet_flips()):
        yield "table .parquet", f"flip{number}.parquet", lambda content=content: content
    yield "table .sqlite", "made.sqlite", lambda: database("printf('%.*c', 5000000, 'x')")
    texts: list[tuple[str, str, str]] = [
        ("table .arff", "sparse.arff", "".join(f"@attribute {v} real\n" for v in _names(5000))
         + "@data\n" + "{}\n" * 200_000),
        ("table .arff", "blanks.arff", "@attribute a string\n@attribute b string\n@data\n"
         + ("a" + " " * 100_000 + "b,c\n") * 3),
        ("table .arff", "quotes.arff", "@attribute a string\n@data\n{0 '" + "\\'" * 100_000
         + "}\n"),
        ("table .cas", "slashes.cas", "x y\n" + "// " * 100_000 + '"\na b\n'),
        ("table .csv", "ragged.csv", ",".join(_names(90_000)) + "\n" + "a\n" * 300_000),
        ("model .bif", "twice.bif", "variable a { type discrete [40000] { "
         + ", ".join([*_names(39_999), "v0"]) + " }; }"),
        ("model .bif", "parents.bif", _bif_of_parents(15_000, 2)),
        ("model .bif", "axes.bif", _bif_of_parents(80, 1)),
        ("model .json", "twice.json", "{" + ", ".join(f'"{k}": 1' for k in [*_names(40_000), "v0"])
         + "}"),
        ("model .json", "deep.json", "[" * 100_000),
        ("model .uai", "states.uai", f"MARKOV 20 {'1000000 ' * 20} 0"),
        ("model .dne", "states.dne", "bnet x { "
         + "".join(f"node {v} {{ numstates = 99999; }}; " for v in _names(500)) + "};"),
        ("model .xml", "tags.xml", "<BIF><NETWORK>" + "".join(f"<{v}/>" for v in _names(NODES))
         + "</NETWORK></BIF>"),
        ("model .dot", "cycle.dot", "digraph { "
         + "".join(f"v{i} -> v{(i + 1) % NODES}; " for i in range(NODES)) + "}"),
        ("model .dot", "path.dot", "graph { "
         + "".join(f"v{i} -- v{i + 1}; " for i in range(5000)) + "}"),
        ("model .bif", "unknown.bif", "variable a { type discrete [2] { b, c }; } probability ( "
         + "x" * 1_000_000 + " ) { table 0.5, 0.5; }"),
        ("model .dot", "groups.dot", "digraph { {" + " ".join(_names(4000)) + "} -> {"
         + " ".join(_names(4000, "w")) + "} }"),
        ("model .uai, Markov", "alone.uai", f"MARKOV {NODES} {'2 ' * NODES}{NODES} "
         + " ".join(f"1 {i}" for i in range(NODES)) + " 2 0.5 0.5" * NODES),
        ("model .ldag", "wide.ldag", "#labels\n" + "".join(f"v{i} -> x\n" for i in range(22))),
        ("rules of groups", "groups.txt", "/knowledge\nforbiddengroup\n" + " ".join(_names(4000))
         + "\n" + " ".join(_names(4000, "w")) + "\n"),
        ("plan .toml", "dotted.toml", ".".join(["a"] * 50_000) + " = 1\n"),
        ("plan .toml", "tables.toml", "".join(f"[{'a.' * 900}b{i}]\n" for i in range(800))),
        ("plan .toml", "deep.toml", "a = " + "[" * 900 + "]" * 900),
        ("plan .toml", "digits.toml", "a = " + "9" * 5000),
        ("plan .json", "deep.json", '{"data": ' + "[" * 900 + "]" * 900 + "}"),
        ("plan .json", "digits.json", '{"seeds": [' + "9" * 5000 + "]}"),
    ]  # fmt: skip
    texts += [(f"model {ending}", f"line{ending}", text) for ending, text in one_line().items()]
    for reader, name, text in texts:
        yield reader, name, text.encode
