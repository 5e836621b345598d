"""Replacement of names that cannot be shown or saved, throughout a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pgmstudio.core.data.variables import clean_name, is_fit_name
from pgmstudio.core.io.models.shared.identifiers import unused
from pgmstudio.core.json_documents import whole_characters

_MAX_SHOWN = 5


def clean_names(names: Iterable[str]) -> dict[str, str]:
    """Unique replacements for the names that cannot be shown or saved."""
    names = list(dict.fromkeys(names))
    taken = {name for name in names if is_fit_name(name)}
    clean: dict[str, str] = {}
    for name in names:
        if name not in taken:
            clean[name] = unused(clean_name(name), taken)
            taken.add(clean[name])
    return clean


def replaced_names_warning(clean: Mapping[str, str]) -> str:
    """Warning that lists the names that were replaced."""
    shown = ", ".join(f"“{name}”" for name in list(clean.values())[:_MAX_SHOWN])
    more = ", …" if len(clean) > _MAX_SHOWN else ""
    one = len(clean) == 1
    return (
        f"{'1 name has' if one else f'{len(clean)} names have'} control characters or halves of "
        f"characters, which cannot be shown or saved; {'it is' if one else 'they are'} now called "
        f"{shown}{more}."
    )


def with_names(document: Any, clean: Mapping[str, str]) -> Any:
    """The document with other names for those in `clean`, as keys and as values."""
    if isinstance(document, str):
        return clean.get(document) or whole_characters(document)
    if isinstance(document, Mapping):
        return {with_names(key, clean): with_names(e, clean) for key, e in document.items()}
    if isinstance(document, list | tuple):
        return [with_names(entry, clean) for entry in document]
    return document


def names_in(document: Any) -> Iterator[str]:
    """Every text in the variables and the structure of a document."""
    if isinstance(document, Mapping):
        yield from texts_in(document.get("variables"))
        yield from texts_in(document.get("structure"))


def texts_in(value: Any) -> Iterator[str]:
    """All texts of a document, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from texts_in(key)
            yield from texts_in(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from texts_in(entry)
