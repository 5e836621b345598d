"""Model files: the formats by extension, reading and writing them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

from pgmstudio.core.data.variables import is_fit_name, unchecked_names
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.clean_names import (
    clean_names,
    names_in,
    replaced_names_warning,
    texts_in,
    with_names,
)
from pgmstudio.core.io.reading_limits import read_unpacked, text_limit
from pgmstudio.core.json_documents import JsonElement, whole_characters
from pgmstudio.core.model import Model
from pgmstudio.core.project.file_properties import Properties as Properties

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model with the other contents of its file; `warnings` list what the reader corrected.

    `titles` are the labels of nodes whose label is not their name.
    """

    model: Model
    title: str = ""
    notes: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    layout: Mapping[str, Point] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    provenance: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()


class Holds(Enum):
    """What comes back from a file of a format."""

    EVERYTHING = "everything"
    TABLES = "tables"  # the numbers, not the names: those stand in a second file
    STRUCTURE = "structure"  # edges alone
    DECISION_GRAPH = "decision graph"  # other models become one
    UNDIRECTED = "undirected edges"  # edges and contexts of a Markov network; others become one


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """One way to write a model down; the module is loaded when it is first needed.

    The module has `parse(content: bytes, path: Path) -> ModelFile` and
    `render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]`, whose second part
    lists what was lost. It may have
    `second_file_content(file: ModelFile, path: Path) -> tuple[Path, bytes]`, a second file that is
    written too.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    holds: Holds = Holds.EVERYTHING

    def parser(self) -> Callable[[bytes, Path], ModelFile]:
        """The function that reads this format."""
        parse: Callable[[bytes, Path], ModelFile] = import_module(self.module).parse
        return parse

    def renderer(self) -> Callable[[ModelFile, Path], tuple[bytes, tuple[str, ...]]]:
        """The function that writes this format."""
        render: Callable[[ModelFile, Path], tuple[bytes, tuple[str, ...]]]
        render = import_module(self.module).render
        return render

    def second_file(self, file: ModelFile, path: Path) -> tuple[Path, bytes] | None:
        """Path and content of the second file of this format; None for most formats."""
        second_file_content = getattr(import_module(self.module), "second_file_content", None)
        return None if second_file_content is None else second_file_content(file, path)


MODEL_FORMATS: tuple[ModelFormat, ...] = (
    ModelFormat("PGM Studio model", (".json",), "pgmstudio.core.io.models.native_json"),
    ModelFormat("BIF", (".bif",), "pgmstudio.core.io.models.bif"),
    ModelFormat("XMLBIF", (".xml", ".bifxml", ".xmlbif"), "pgmstudio.core.io.models.xmlbif"),
    ModelFormat("XDSL", (".xdsl",), "pgmstudio.core.io.models.genie_xdsl"),
    ModelFormat("HUGIN NET", (".net",), "pgmstudio.core.io.models.hugin_net"),
    ModelFormat("Netica DNET", (".dne", ".dnet"), "pgmstudio.core.io.models.netica_dnet"),
    ModelFormat("MSBN DSC", (".dsc",), "pgmstudio.core.io.models.msbn_dsc"),
    ModelFormat("UAI", (".uai",), "pgmstudio.core.io.models.uai", Holds.TABLES),
    ModelFormat(
        "Elvira PDG", (".pdg",), "pgmstudio.core.io.models.elvira_pdg", Holds.DECISION_GRAPH
    ),
    ModelFormat("DOT", (".dot", ".gv"), "pgmstudio.core.io.models.dot", Holds.STRUCTURE),
    ModelFormat("DAGitty", (".dagitty",), "pgmstudio.core.io.models.dagitty", Holds.STRUCTURE),
    ModelFormat("GraphML", (".graphml",), "pgmstudio.core.io.models.graphml", Holds.STRUCTURE),
    ModelFormat("GML", (".gml",), "pgmstudio.core.io.models.gml", Holds.STRUCTURE),
    ModelFormat(
        "node-link JSON", (".nodelink.json",), "pgmstudio.core.io.models.node_link", Holds.STRUCTURE
    ),
    ModelFormat(
        "bnlearn model string",
        (".bnstr",),
        "pgmstudio.core.io.models.bnlearn_string",
        Holds.STRUCTURE,
    ),
    ModelFormat("LDAG text", (".ldag",), "pgmstudio.core.io.models.ldag_text", Holds.STRUCTURE),
    ModelFormat(
        "Markov network text", (".mn",), "pgmstudio.core.io.models.markov_text", Holds.UNDIRECTED
    ),
)

# Formats whose extension is also one of data or rules are detected by their first bytes.
_BEGINNINGS = (
    (re.compile(rb"\s*(?:dag|pdag)\s*\{"), ".dagitty"),
    (re.compile(rb"\s*(?:\[[^\[\]|]+(?:\|[^\[\]|]+)?\]\s*)+(?:\[[^\[\]]*)?$"), ".bnstr"),
)
_BEGINNING_BYTES = 4096

# What people try to open and what to do instead.
_ELSEWHERE = {
    ".neta": "is Netica's own binary form. Save it in Netica as text: File, Save as, type .dne.",
    ".oobn": "is an object-oriented HUGIN network. Save it in HUGIN as a plain network (.net).",
    ".dsl": "is the older form of GeNIe. Save it in GeNIe as .xdsl.",
}


def known_endings() -> tuple[str, ...]:
    """Every ending a model file may have; each may be followed by .gz."""
    return tuple(ending for known in MODEL_FORMATS for ending in known.endings)


def is_model_path(path: Path | str) -> bool:
    """Whether the file is one of a model, by its ending; a text also by how it begins."""
    path = Path(path)
    return _ending(path) in (*known_endings(), *_ELSEWHERE) or _text_ending(path) is not None


def named_like_a_model(path: Path | str) -> bool:
    """Whether a model can be written under this name."""
    return _ending(Path(path)) in known_endings()


def read_model(path: Path | str) -> ModelFile:
    """Read a model file of any known format; raises ModelFileError with the location."""
    path = Path(path)
    parse = _format_of(path, _text_ending(path)).parser()
    with unchecked_names():
        file = parse(read_bytes(path), path)
    return _with_clean_names(file, path)


def _with_clean_names(file: ModelFile, path: Path) -> ModelFile:
    """The model with names that can be shown and saved, and a warning if any was replaced."""
    domain, properties = file.model.domain, file.properties
    names = [text for variable in domain for text in (variable.name, *variable.states)]
    names.append(getattr(file.model, "hidden", ""))  # a variable outside of the domain
    lines = (properties.network, *properties.variables.values(), *properties.tables.values())
    others = texts_in([file.title, file.notes, file.titles, *lines])
    if all(text == whole_characters(text) for text in others) and is_fit_name("".join(names)):
        return file
    native = import_module(MODEL_FORMATS[0].module)  # it takes any model apart
    document = native.document_of(file)
    clean = clean_names(names_in(document))
    new: ModelFile = native.file_of_document(JsonElement(with_names(document, clean), path), path)
    warnings = [replaced_names_warning(clean)] if clean else []
    return replace(new, warnings=(*file.warnings, *warnings))


def write_model(path: Path | str, file: ModelFile | Model) -> tuple[str, ...]:
    """Write the file in the format of its extension; returns what the format cannot hold."""
    path = Path(path)
    known = _format_of(path)
    file = file if isinstance(file, ModelFile) else ModelFile(file)
    content, lost = known.renderer()(file, path)
    second = known.second_file(file, path)
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)  # no time stamp: equal models, equal bytes
    if second is not None:
        replace_file(*second)
    replace_file(path, content)
    return lost


def _ending(path: Path) -> str:
    """The longest known ending, or else the last one; a .gz behind it does not count."""
    name = path.name.lower().removesuffix(".gz")
    fitting = [ending for ending in known_endings() if name.endswith(ending)]
    return max(fitting, key=len) if fitting else Path(name).suffix


def _text_ending(path: Path) -> str | None:
    """The ending a .txt should have, when it begins like one of the formats."""
    if path.suffix.lower() != ".txt" or not path.is_file():
        return None
    with path.open("rb") as stream:
        beginning = stream.read(_BEGINNING_BYTES)
    return next((ending for form, ending in _BEGINNINGS if form.match(beginning)), None)


def _format_of(path: Path, ending: str | None = None) -> ModelFormat:
    ending = _ending(path) if ending is None else ending
    for known in MODEL_FORMATS:
        if ending in known.endings:
            return known
    if ending in _ELSEWHERE:
        raise ModelFileError(path, _ELSEWHERE[ending])
    listed = ", ".join(known_endings())
    what = f"the ending “{ending}” is" if ending else "a name without an ending is"
    raise ModelFileError(path, f"{what} not one of a model file; known are {listed}.")


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked when it ends in .gz; one beyond the limit is refused."""
    return read_unpacked(path, text_limit(), ModelFileError)


def decode_text(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Text from bytes, UTF-8 or else Windows-1252, with a warning for the second."""
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        warning = "The file is not UTF-8; it was read as Windows-1252. Check the names."
        return content.decode("cp1252", errors="replace"), (warning,)
