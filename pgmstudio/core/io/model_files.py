"""Model files by their ending: reading any of them, writing any of them, and what gets lost."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.models.protocols import Model

Point = tuple[float, float]

# The largest network of the repositories is 7 MB of text; far beyond that it is no model.
MOST_BYTES = 1 << 29


@dataclass(frozen=True)
class Properties:
    """Lines of a file that mean nothing here and are written back: of the whole network, of its
    variables, of their tables."""

    network: tuple[str, ...] = ()
    variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.network or self.variables or self.tables)


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model and what a file tells beside it; `remarks` say what the reader had to put right."""

    model: Model
    title: str = ""
    notes: str = ""
    layout: Mapping[str, Point] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)
    provenance: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """One way to write a model down; the module is loaded when it is first needed.

    The module has `parse(content: bytes, path: Path) -> ModelFile` and
    `render(file: ModelFile, path: Path) -> tuple[bytes, tuple[str, ...]]`, whose second part says
    what was lost.
    """

    name: str
    endings: tuple[str, ...]
    module: str

    def parser(self) -> Callable[[bytes, Path], ModelFile]:
        """The function that reads this format."""
        parse: Callable[[bytes, Path], ModelFile] = import_module(self.module).parse
        return parse

    def renderer(self) -> Callable[[ModelFile, Path], tuple[bytes, tuple[str, ...]]]:
        """The function that writes this format."""
        render: Callable[[ModelFile, Path], tuple[bytes, tuple[str, ...]]]
        render = import_module(self.module).render
        return render


MODEL_FORMATS: tuple[ModelFormat, ...] = (
    ModelFormat("PGM Studio model", (".json",), "pgmstudio.core.io.model_json"),
    ModelFormat("BIF", (".bif",), "pgmstudio.core.io.bif"),
    ModelFormat("XMLBIF", (".xml", ".bifxml", ".xmlbif"), "pgmstudio.core.io.xmlbif"),
)


def known_endings() -> tuple[str, ...]:
    """Every ending a model file may have; each may be followed by .gz."""
    return tuple(ending for known in MODEL_FORMATS for ending in known.endings)


def is_model_path(path: Path | str) -> bool:
    """Whether the ending is one of a model file."""
    return _ending(Path(path)) in known_endings()


def read_model(path: Path | str) -> ModelFile:
    """The model in a file of any known format; ModelFileError says what is wrong and where."""
    path = Path(path)
    parse = _format_of(path).parser()
    return parse(read_bytes(path), path)


def write_model(path: Path | str, file: ModelFile | Model) -> tuple[str, ...]:
    """Write the file in the format of its ending; one sentence for each thing that gets lost."""
    path = Path(path)
    render = _format_of(path).renderer()
    content, lost = render(file if isinstance(file, ModelFile) else ModelFile(file), path)
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)  # no time stamp: equal models, equal bytes
    replace_file(path, content)
    return lost


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _format_of(path: Path) -> ModelFormat:
    ending = _ending(path)
    for known in MODEL_FORMATS:
        if ending in known.endings:
            return known
    listed = ", ".join(known_endings())
    what = f"the ending “{ending}” is" if ending else "a name without an ending is"
    raise ModelFileError(path, f"{what} not one of a model file; known are {listed}.")


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked when it ends in .gz and never more than a model can be."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
                content = packed.read(MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise ModelFileError(path, f"cannot be unpacked ({problem}); it is damaged.") from problem
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ModelFileError(path, f"cannot be read: {reason}.") from problem
    if len(content) > MOST_BYTES:
        raise ModelFileError(path, f"is larger than {MOST_BYTES >> 20} MB; that is no model.")
    return content


def decode_text(content: bytes) -> tuple[str, tuple[str, ...]]:
    """Text from bytes, UTF-8 or else Windows-1252, and a remark when it was the second."""
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        remark = "The file is not UTF-8; it was read as Windows-1252. Check the names."
        return content.decode("cp1252", errors="replace"), (remark,)
