"""Names for formats that allow letters, digits and underscores only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def safe_names(
    names: Sequence[str],
    *,
    prefix: str = "x",
    underscore_first: bool = False,
    reserved: Iterable[str] = (),
    longest: int | None = None,
) -> dict[str, str]:
    """A plain word for each name, the same where it can be, all different.

    `prefix` goes before what does not begin with a letter; `reserved` words are not used.
    """
    taken = set(reserved)

    def is_plain(name: str) -> bool:
        plain = name.lstrip("_") or "x" if underscore_first else name
        fits = longest is None or len(name) <= longest
        return bool(_PLAIN.fullmatch(plain)) and fits and name not in taken

    chosen = {name: name for name in names if is_plain(name)}
    taken.update(chosen)
    for name in names:
        if name not in chosen:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
            plain = plain if plain[:1].isascii() and plain[:1].isalpha() else f"{prefix}{plain}"
            chosen[name] = unused(plain[:longest], taken, longest)
            taken.add(chosen[name])
    return chosen


def unused(preferred: str, taken: Iterable[str], longest: int | None = None) -> str:
    """`preferred`, with a number appended if it is taken."""
    taken, name, number = set(taken), preferred, 2
    while name in taken:
        end = f"_{number}"
        name = preferred[: None if longest is None else longest - len(end)] + end
        number += 1
    return name


def name_behind(
    identifier: str, name: str, *, prefix: str = "x", longest: int | None = None
) -> str:
    """The name stored with an identifier, unless another program changed the identifier."""
    if not name:
        return identifier
    plain = safe_names([name], prefix=prefix, longest=longest)[name]
    if identifier == plain:
        return name
    numbered = re.fullmatch(r"(.+)_[0-9]+", identifier)  # made different from another one
    cut = longest is not None and len(identifier) == longest
    fits = numbered and (plain.startswith(numbered[1]) if cut else plain == numbered[1])
    return name if fits else identifier
