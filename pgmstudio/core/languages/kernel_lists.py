"""The compiled kernels that learners call, with the types they call them with.

So they can be compiled before they are called, and several at once. `kernels.json` is written by
`resources/packaging/list_kernels.py`, which runs every learner on the tables below. A kernel that
is not listed is compiled when it is called.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pgmstudio.core.data.dataset import DataSet

LIST = Path(__file__).with_name("kernels.json")

# The kinds of tables that learners use different kernels for.
FEW, MANY, BINARY, MISSING = "few columns", "many columns", "two states", "missing cells"
TABLES = (FEW, MANY, BINARY, MISSING)
MANY_COLUMNS = 20


def tables_like(data: DataSet) -> tuple[str, ...]:
    """The kinds of tables that this one is."""
    is_binary = max(data.domain.cardinalities, default=2) == 2
    has_many = len(data.domain) >= MANY_COLUMNS
    kinds = {MANY: has_many, BINARY: is_binary, FEW: not has_many and not is_binary}
    return tuple(kind for kind, holds in (kinds | {MISSING: data.has_missing}).items() if holds)


def kernels_of(keys: Iterable[str], tables: Iterable[str]) -> list[str]:
    """The kernels of these learners on these tables, each once, in the order of their calls."""
    listed = _listed()
    used: dict[str, None] = {}
    for table in tables:
        for key in keys:
            used |= dict.fromkeys(
                listed["kernels"][n] for n in listed["learners"][table].get(key, ())
            )
    return [*used]


@cache
def _listed() -> Any:
    return json.loads(LIST.read_text(encoding="utf-8"))


def compile_kernel(kernel: str) -> None:
    """Compile a kernel, or find it on the disk; its text is `MODULE:NAME(TYPE; TYPE; …)`."""
    name, _, types = kernel.rstrip(")").partition("(")
    module, _, function = name.partition(":")
    dispatcher: Any = getattr(import_module(module), function)
    dispatcher.compile(tuple(map(_type_of, types.split("; "))))


def _type_of(text: str) -> Any:
    """`int64`; `float64[:,::1]`, rows one after another, `float64[::1,:]` columns; `float64[:]`,
    with gaps; `const …`; a tuple `<…, …>`, which may have a class before it."""
    from numba import types

    kinds: Any = types
    if text.endswith(">"):
        name, _, members = text[:-1].partition("<")
        parts = [_type_of(one) for one in members.split(", ")]
        module, _, named = name.partition(":")
        if not named:
            return kinds.Tuple(parts)
        kind = getattr(import_module(module), named)
        is_uniform = len(set(parts)) == 1
        return (
            kinds.NamedUniTuple(parts[0], len(parts), kind)
            if is_uniform
            else kinds.NamedTuple(parts, kind)
        )
    name, has_axes, axes = text.removeprefix("const ").partition("[")
    scalar = getattr(kinds, name)
    if not has_axes:
        return scalar
    layout = "C" if axes.endswith("::1]") else "F" if axes.startswith("::1") else "A"
    is_constant = text.startswith("const ")
    return kinds.Array(scalar, axes.count(",") + 1, layout, readonly=is_constant)


def text_of(module: str, function: str, types: Iterable[Any]) -> str | None:
    """The text that `compile_kernel` reads; None if a type has none."""
    texts = [_type_text(one) for one in types]
    return None if None in texts else f"{module}:{function}({'; '.join(map(str, texts))})"


def _type_text(given: Any) -> str | None:
    from numba import types

    kinds: Any = types
    if isinstance(given, kinds.BaseTuple):
        parts = [_type_text(one) for one in given]
        made = getattr(given, "instance_class", tuple)
        name = "" if made is tuple else f"{made.__module__}:{made.__qualname__}"
        return None if None in parts else f"{name}<{', '.join(map(str, parts))}>"
    if isinstance(given, kinds.Array) and given.aligned:
        axes = [":"] * given.ndim
        if given.layout != "A":
            axes[-1 if given.layout == "C" else 0] = "::1"
        constant = "" if given.mutable else "const "
        return f"{constant}{given.dtype}[{','.join(axes)}]"
    is_plain = isinstance(given, kinds.Number | kinds.Boolean) and hasattr(kinds, str(given))
    return str(given) if is_plain else None
