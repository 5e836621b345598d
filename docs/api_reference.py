"""The page `reference/api.md`, made from the signatures and docstrings of the Python API."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from typing import Any

import pgmstudio as pgm

_HEAD = (
    "# Functions and classes\n\n"
    "The names of `import pgmstudio as pgm`, with their docstrings; `help(pgm.learn)` shows the "
    "same. [Python](python.md) introduces them, [scikit-learn](scikit-learn.md) describes the "
    "estimators. In the tables of members `…` stands for evidence: `given`, `not_`, `soft` and "
    "`do`.\n"
)
_WIDTH = 88


def api_page() -> str:
    """The whole page."""
    names = sorted((name for name in pgm.__all__ if name != "__version__"), key=str.casefold)
    things = {name: getattr(pgm, name) for name in names}
    functions = [name for name in names if not inspect.isclass(things[name])]
    classes = [name for name in names if inspect.isclass(things[name])]
    parts = [_HEAD, "## Functions\n"]
    for name in functions:
        code = f"```python\npgm.{name}{_signature(things[name], len(name) + 4)}\n```\n"
        parts.append(f"### {name}\n\n{code}\n{_text(things[name])}")
    parts.append("## Classes\n")
    for name in classes:
        parts.append(f"### {name}\n\n{_text(things[name])}\n{_members(things[name])}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _signature(function: Any, indent: int) -> str:
    """With annotations as they are written; one parameter a line where it is long."""
    signature = inspect.signature(function)
    text = _unquoted(str(signature))
    if indent + len(text) <= _WIDTH:
        return text
    result = _unquoted(str(signature.replace(parameters=[]))).removeprefix("()")
    lines, has_star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            lines.append("    *,")
        has_star = has_star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        lines.append(f"    {_unquoted(str(parameter))},")
    return "\n".join(["(", *lines, f"){result}"])


def _unquoted(text: str) -> str:
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)


def _text(thing: Any) -> str:
    """The docstring; its examples as code."""
    text = inspect.getdoc(thing) or ""
    before, prompt, after = text.partition(">>> ")
    code = f"```python\n{prompt}{after.rstrip()}\n```\n" if prompt else ""
    return f"{before.strip()}\n" + (f"\n{code}" if code else "")


def _members(owner: type) -> str:
    """A table of the public methods and properties that the class itself defines."""
    rows = []
    for name, member in vars(owner).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property | cached_property):
            rows.append((f"`{name}`", inspect.getdoc(member) or ""))
        elif inspect.isfunction(member) and member.__doc__:
            rows.append((f"`{name}({_names(member)})`", inspect.getdoc(member) or ""))
    if not rows:
        return ""
    shown = ((code, " ".join(text.split()).replace("|", "\\|")) for code, text in rows)
    cells = (f"| {code} | {text} |" for code, text in shown)
    return "\n".join(["| Member | |", "|---|---|", *cells])


def _names(function: Any) -> str:
    """The names of the parameters; `…` stands for those of evidence."""
    names = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name in ("given", "not_", "soft", "do"):
            continue
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        names.append(star + parameter.name)
    evidence = "given" in inspect.signature(function).parameters
    return ", ".join([*names, "…"] if evidence else names)
