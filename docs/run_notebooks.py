"""Run the notebooks of the manual and store what their cells show.

    python docs/run_notebooks.py [NAME …]           runs them and rewrites their outputs
    python docs/run_notebooks.py --check [NAME …]   only reports cells that show something else

Cells run in this process, in a folder of their own, without Jupyter: what is printed, and the last
expression of a cell by its `repr`, `_repr_html_` and `_repr_svg_`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # from a checkout, whether or not the package is installed
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

FOLDER = Path(__file__).resolve().parent / "notebooks"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")
_SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def notebooks(names: Sequence[str] = ()) -> list[Path]:
    return [path for path in sorted(FOLDER.glob("*.ipynb")) if not names or path.stem in names]


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of a new run."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    number = 0
    with _own_folder():
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                outputs = _outputs("".join(cell["source"]), variables, number)
                cell = {**cell, "execution_count": number, "outputs": outputs}
            cells.append(cell)
    return {**notebook, "cells": cells}


@contextlib.contextmanager
def _own_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _outputs(source: str, variables: dict[str, Any], number: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {number}", "exec"), variables)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), variables)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for kind, method in _SHOWN.items():
            if hasattr(value, method):
                data[kind] = _lines(getattr(value, method)())
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": number,
                "metadata": {},
                "data": data,
            }
        )
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def plain_outputs(notebook: dict[str, Any]) -> list[list[str]]:
    """What each code cell shows as text."""
    return [
        [
            "".join(output["text"] if "text" in output else output["data"]["text/plain"])
            for output in cell["outputs"]
        ]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def shows_the_same(first: list[list[str]], second: list[list[str]]) -> bool:
    """Whether cells show the same texts, with numbers equal to three digits."""
    texts = ["\0".join("\1".join(cell) for cell in cells) for cells in (first, second)]
    if _NUMBER.sub("#", texts[0]) != _NUMBER.sub("#", texts[1]):
        return False
    pairs = zip(*(map(float, _NUMBER.findall(text)) for text in texts), strict=True)
    return all(math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-3) for one, other in pairs)


def main(argv: Sequence[str]) -> int:
    only_check = "--check" in argv
    outdated = 0
    for path in notebooks([name for name in argv if name != "--check"]):
        stored = json.loads(path.read_text(encoding="utf-8"))
        renewed = executed(stored)
        if only_check:
            if not shows_the_same(plain_outputs(renewed), plain_outputs(stored)):
                print(f"out of date: {path.name}")
                outdated += 1
        else:
            text = json.dumps(renewed, indent=1, ensure_ascii=False) + "\n"
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.name}")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
