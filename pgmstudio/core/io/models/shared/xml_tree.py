"""XML as a small tree that knows its lines; entities are refused, so nothing is pulled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from pgmstudio.core.errors import ModelFileError

_DEEPEST = 32
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class Element:
    """A tag and its attributes in capitals, its own text, and what is inside."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def at(self) -> tuple[int, int]:
        """Line and column."""
        return self.line, self.column

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def all(self, *tags: str) -> Iterator[Element]:
        """The elements inside with one of these tags, in order."""
        return (child for child in self.children if child.tag in tags)

    def texts(self, *tags: str) -> list[str]:
        """Their texts."""
        return [child.text for child in self.all(*tags)]


def parse_xml(content: bytes, path: Path) -> tuple[Element, list[str]]:
    """An element around the document, and warnings; ModelFileError has line and column.

    A document type may declare elements, as XMLBIF files do, but no entities: those could pull in
    other files or grow without end.
    """
    encoding, warnings = _encoding(content)
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    stack = [Element("", {}, 1, 1)]

    def here() -> tuple[int, int]:
        return parser.CurrentLineNumber, parser.CurrentColumnNumber + 1

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > _DEEPEST:
            raise ModelFileError(path, "the elements are nested too deeply.", *here())
        capital = {name.upper(): value for name, value in attributes.items()}
        element = Element(tag.upper(), capital, *here())
        stack[-1].children.append(element)
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def text(piece: str) -> None:
        stack[-1].pieces.append(piece)

    def refuse(*details: object) -> NoReturn:
        message = (
            "declares or uses an entity; such files are not read, since they can pull in other "
            "files. Write the text itself instead."
        )
        raise ModelFileError(path, message, *here())

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        reason = expat.errors.messages.get(problem.code, "damaged")
        raise ModelFileError(
            path, f"is not XML: {reason}.", problem.lineno, problem.offset + 1
        ) from problem
    except (LookupError, ValueError) as problem:
        raise ModelFileError(path, f"its encoding cannot be read: {problem}.") from problem
    return stack[0], warnings


def _encoding(content: bytes) -> tuple[str | None, list[str]]:
    """The encoding to read with; None where the file declares one or is UTF-8."""
    if b"encoding" in content[:200] or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return None, []
    try:
        content.decode()
    except UnicodeDecodeError:
        return "iso-8859-1", ["The file is not UTF-8; it was read as Latin-1. Check the names."]
    return None, []


def element_text(element: Element) -> str:
    """The element as XML with tags in lower case; text between child elements is dropped."""
    tag = element.tag.lower()
    head = tag + "".join(
        f' {key.lower()}="{_attribute(value)}"' for key, value in element.attributes.items()
    )
    inside = "".join(map(element_text, element.children)) or escaped_xml("".join(element.pieces))
    return f"<{head}>{inside}</{tag}>" if inside else f"<{head} />"


def element_in(text: str) -> str | None:
    """The tag, in capitals, of a text that is one XML element; None for any other text."""
    if not text.startswith("<"):
        return None
    try:
        root, _ = parse_xml(text.encode("utf-8", "surrogatepass"), Path())
    except ModelFileError:
        return None
    return root.children[0].tag


def _attribute(text: str) -> str:
    entities = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
    return "".join(entities.get(character, character) for character in escaped_xml(text))


def fits_xml(text: str) -> bool:
    """Whether an element's text comes back as it is: no blanks around it, no control characters."""
    return bool(text) and text == text.strip() and not _NOT_XML.search(text)


def escaped_xml(text: str) -> str:
    """A text between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
