"""Reading a project from the members of its file, trusting nothing in them."""

from __future__ import annotations

import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import ReportFraction, ignore_progress
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.resampling import Split
from pgmstudio.core.errors import DataError, ModelFileError, ProjectFileError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.io.background_knowledge import knowledge_of_document
from pgmstudio.core.io.clean_names import clean_names, names_in, replaced_names_warning, with_names
from pgmstudio.core.io.edge_prices import edge_prices_of_document
from pgmstudio.core.io.evidence import read_evidence
from pgmstudio.core.io.models.native_json import check_version, file_of_document, read_variables
from pgmstudio.core.io.project.migrations import MIGRATIONS, VERSION, migrated
from pgmstudio.core.json_documents import JsonElement, parse_json
from pgmstudio.core.languages.codec import codec_of
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.project.project import (
    ComparisonEntry,
    CurveEntry,
    DataEntry,
    EvidenceCase,
    ModelEntry,
    Outcome,
    Project,
    Run,
    UnknownContent,
    UnknownModel,
    without_loose_references,
)

# Unpacking a project file a little at a time, with limits, trusting nothing in it.

MAX_MEMBERS = 20_000
MAX_BYTES = 1 << 32
# A file that grows this much on unpacking, beyond a size any project is welcome to, is a trap.
_FREE_BYTES = 1 << 28
_MAX_GROWTH = 500
_PIECE = 1 << 20

# What the zip module raises on files that are no zips or were cut off, edited or made up.
_ZIP_PROBLEMS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def members_in(
    stream: IO[bytes], path: Path, cancel: CancelToken, report: ReportFraction
) -> tuple[dict[str, bytearray], dict[str, str]]:
    """What the files inside hold, by name, and what is wrong with those that are damaged;
    ProjectFileError where it is no project's file."""
    try:
        with zipfile.ZipFile(stream) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _check_members(infos, path)
            total = sum(info.file_size for info in infos) or 1
            members: dict[str, bytearray] = {}
            damaged: dict[str, str] = {}
            done = 0
            for info in infos:
                content = bytearray()
                try:
                    for piece in _pieces(archive, info):
                        cancel.raise_if_cancelled()
                        content += piece
                        report((done + len(content)) / total)
                except _ZIP_PROBLEMS as problem:
                    damaged[info.filename] = str(problem)
                else:
                    members[info.filename] = content
                done += info.file_size
            return members, damaged
    except _ZIP_PROBLEMS as problem:
        raise ProjectFileError(
            path,
            f"is damaged or not a project file ({problem}). Open a copy of it, if there is one.",
        ) from problem


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Contents of a member in pieces, so that cancelling is quick and no thread waits long."""
    length = 0
    with archive.open(info) as member:
        while piece := member.read(min(_PIECE, info.file_size + 1 - length)):
            length += len(piece)
            yield piece
    if length != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} is not as long as its header states")


def _check_members(infos: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuse before anything is unpacked."""
    names = [info.filename for info in infos]
    if len(names) > MAX_MEMBERS:
        raise ProjectFileError(path, f"holds {len(names)} files; that is no project.")
    if len(set(names)) != len(names):
        raise ProjectFileError(path, "holds two files of the same name; it was tampered with.")
    for info in infos:
        parts = info.filename.split("/")
        if "\\" in info.filename or ":" in info.filename or {"", ".", ".."} & set(parts):
            raise ProjectFileError(path, f"holds a file with an odd name, {info.filename!r}.")
        if info.flag_bits & 1:
            raise ProjectFileError(path, "is encrypted; unpack it and pack it without a password.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ProjectFileError(path, f"{info.filename} is packed in a way no project is.")
    unpacked = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if unpacked > MAX_BYTES or (unpacked > _FREE_BYTES and unpacked > _MAX_GROWTH * packed):
        raise ProjectFileError(path, f"would unpack to {unpacked >> 20} MB; that is no project.")


T = TypeVar("T")

FORMAT = "pgmstudio-project"

_ENTRIES = frozenset({"format", "version", "program", "title", "notes"})
_ENTRIES |= {"data", "models", "runs", "curves", "comparisons"}
_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
_KNOWN_JSON = re.compile(
    r"project\.json|knowledge\.json|edge-prices\.json|evidence\.json|(?:models|runs|curves)/[A-Za-z0-9_-]{1,32}\.json"
)

# The head of an array as numpy writes it; anything else is refused, so nothing has to be parsed.
_ARRAY_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][a-z][1-8])', 'fortran_order': False, "
    rb"'shape': \(([0-9, ]{0,40})\), \} *\n",
    re.DOTALL,
)


def project_in(
    stream: IO[bytes],
    path: Path,
    cancel: CancelToken = NEVER,
    report: ReportFraction = ignore_progress,
    *,
    left_out: list[str] | None = None,
) -> Project:
    """Read a project from an open file; raises ProjectFileError with the problem.

    With `left_out` a part that is damaged or missing is left out of the project, and a message
    about it is added there; without, it is an error.
    """
    members, damaged = members_in(stream, path, cancel, report)
    return _Reader(members, damaged, path, left_out).project(cancel)


class _Reader:
    """Turns members into a project; every reference and number is checked."""

    def __init__(
        self,
        members: dict[str, bytearray],
        damaged: dict[str, str],
        path: Path,
        left_out: list[str] | None,
    ) -> None:
        self._path = path
        self._raw = members
        self._left_out = left_out
        self._damaged = damaged
        self._problems = {
            name: ProjectFileError(
                path, f"{name} is damaged ({reason}). Open a copy of the file, if there is one."
            )
            for name, reason in damaged.items()
        }
        documents: dict[str, Any] = {}
        for name, content in members.items():
            try:
                documents[name] = (
                    self._parsed(content, name) if _KNOWN_JSON.fullmatch(name) else content
                )
            except ProjectFileError as problem:
                self._problems[name] = problem
        if "project.json" not in documents:
            self._refuse_missing("project.json", "holds no project.json; it is not a project file.")
        if left_out is None and damaged:
            raise self._problems[next(iter(damaged))]
        version = check_version(
            self._location(documents["project.json"], ""), "format", FORMAT, VERSION
        )
        if version < min(MIGRATIONS, default=VERSION):
            raise ProjectFileError(path, f"there is no version {version} of project files.")
        self._members = self._with_clean_names(migrated(documents, version))
        self._used = ["project.json"]
        self._top = self._location(self._members["project.json"], "project.json")

    def _with_clean_names(self, members: Mapping[str, Any]) -> dict[str, Any]:
        """Earlier versions took names with line breaks and other control characters."""
        data = JsonElement(members["project.json"], self._path).get("data")
        entries = data.value.values() if data and isinstance(data.value, dict) else ()
        models = (value for name, value in members.items() if name.startswith("models/"))
        clean = clean_names(name for part in (*entries, *models) for name in names_in(part))
        if not clean:
            return dict(members)
        if self._left_out is not None:
            self._left_out.append(replaced_names_warning(clean))
        return {
            name: with_names(value, clean) if _KNOWN_JSON.fullmatch(name) else value
            for name, value in members.items()
        }

    def _parsed(self, content: bytearray, name: str) -> Any:
        return parse_json(bytes(content), self._path, error=ProjectFileError, member=name).value

    def _location(self, value: Any, where: str) -> JsonElement:
        return JsonElement(value, self._path, where, ProjectFileError)

    def _fail(self, message: str) -> NoReturn:
        raise ProjectFileError(self._path, message)

    def _refuse_missing(self, name: str, message: str) -> NoReturn:
        raise self._problems.pop(name, ProjectFileError(self._path, message))

    def _member(self, name: str) -> Any:
        if name not in self._members:
            self._refuse_missing(name, f"the file {name} is missing in it.")
        self._used.append(name)
        return self._members[name]

    def _part(self, called: str, read: Callable[[], T]) -> T | None:
        """What `read` gives; None when that part is damaged and may be left out."""
        used = len(self._used)
        try:
            return read()
        except ProjectFileError as problem:
            if self._left_out is None:
                raise
            self._left_out.append(f"{called} was left out: {problem.message}")
            del self._used[used:]  # its members are written back as they are
            return None

    def _parts(
        self, kind: str, keys: Iterable[str], read: Callable[[str], T | None]
    ) -> dict[str, T]:
        """The parts that can be read, by their id."""
        result = ((key, self._part(f"{kind} {key}", partial(read, key))) for key in keys)
        return {key: part for key, part in result if part is not None}

    def _document(self, name: str) -> JsonElement:
        return self._location(self._member(name), name)

    def project(self, cancel: CancelToken) -> Project:
        """Build the project; call it once."""
        top = self._top
        title, notes = top["title"].text(), top["notes"].text()
        listed_data = self._part("The list of data", lambda: self._listed(top["data"])) or {}
        listed = self._part("The list of models", lambda: self._listed(top["models"])) or {}
        compared = self._part("Comparisons", lambda: self._listed(top["comparisons"])) or {}
        run_ids = self._part("The list of runs", lambda: self._ids(top["runs"])) or ()
        curve_ids = self._part("The list of curves", lambda: self._ids(top["curves"])) or ()
        self._data_ids, self._run_ids = {*listed_data}, {*run_ids}
        self._model_ids = {*listed}

        def document(folder: str, key: str) -> JsonElement:
            cancel.raise_if_cancelled()
            return self._document(f"{folder}/{key}.json")

        data = self._parts("Data set", listed_data, lambda key: self._data(key, listed_data[key]))
        unknown: dict[str, UnknownModel] = {}

        def model_of(key: str) -> ModelEntry | None:
            index, content = listed[key], document("models", key)
            kind = index["kind"].text()
            if codec_of(kind) is not None:
                return self._model(index, content)
            unknown[key] = UnknownModel(
                index["title"].text(), kind, index.mapping(), content.mapping()
            )
            return None

        models = self._parts("Model", listed, model_of)
        cases = self._part("Evidence", self._cases) or {}
        knowledge = self._part(
            "Knowledge", lambda: knowledge_of_document(self._document("knowledge.json"))
        )
        prices = None
        if "edge-prices.json" in self._raw:
            prices = self._part(
                "Edge prices", lambda: edge_prices_of_document(self._document("edge-prices.json"))
            )
        runs = self._parts("Run", run_ids, lambda key: self._run(document("runs", key)))
        curves = self._parts("Curves", curve_ids, lambda key: self._curve(document("curves", key)))
        comparisons = self._parts(
            "Comparison", compared, lambda key: self._comparison(compared[key])
        )
        used = {*self._used}
        project = Project(
            title=title,
            notes=notes,
            data=data,
            models=models,
            knowledge=knowledge or Knowledge(),
            edge_prices=prices or EdgePrices(),
            evidence_cases=cases,
            runs=runs,
            curves=curves,
            comparisons=comparisons,
            unknown=UnknownContent(
                unknown,
                {key: value for key, value in top.mapping().items() if key not in _ENTRIES},
                {name: bytes(raw) for name, raw in self._raw.items() if name not in used},
            ),
        )
        if self._left_out is None:
            return project
        for name in [name for name in self._damaged if name in self._problems]:
            self._part("A file that no part needs", partial(self._refuse_missing, name, ""))
        return without_loose_references(project)

    def _listed(self, location: JsonElement) -> dict[str, JsonElement]:
        entries = dict(location.entries())
        for key, inside in entries.items():
            if not _ID.fullmatch(key):
                inside.fail("its name is not an id of letters and digits.")
        return entries

    def _ids(self, location: JsonElement) -> tuple[str, ...]:
        ids = location.texts()
        if len(set(ids)) != len(ids) or not all(map(_ID.fullmatch, ids)):
            location.fail("expected ids of letters and digits, each once.")
        return ids

    def _reference(self, location: JsonElement, entry: str, known: Collection[str]) -> str | None:
        inside = location.get(entry)
        if inside is None:
            return None
        if inside.text() not in known:
            self._part(entry, lambda: inside.fail(f"there is no “{inside.text()}” in the project."))
            return None
        return inside.text()

    def _data(self, key: str, location: JsonElement) -> DataEntry:
        domain = read_variables(location["variables"])
        rows = location["rows"].whole()
        try:
            codes = self._array(f"data/{key}.npy", code_dtype(domain), (len(domain), rows))
            weights = None
            if location["weighted"].yes_no():
                weights = self._array(f"data/{key}.weights.npy", np.dtype("<f8"), (rows,))
            data = DataSet(domain, codes, weights)
            if (members := location.get("set_members")) is not None:
                shape = (3, members.whole())
                sets = self._array(f"data/{key}.sets.npy", np.dtype("<i8"), shape)
                data = ImpreciseData.of_members(data, sets)
            cuts = {
                name: Cuts(
                    inside["column"].text(),
                    tuple(point.number() for point in inside["points"].elements()),
                    inside["labels"].texts(),
                )
                for name, inside in location["cuts"].entries()
            }
        except DataError as problem:
            location.fail(str(problem))
        split = location.get("split")
        return DataEntry(
            name=location["name"].text(),
            data=data,
            source=location["source"].text(),
            cuts=cuts,
            missing_markers=location["missing_markers"].texts(),
            split=None if split is None else self._split(key, split, rows),
            notes=location["notes"].text(),
            provenance=dict(location["provenance"].mapping()),
        )

    def _split(self, key: str, location: JsonElement, rows: int) -> Split:
        sizes = [size.whole() for size in location["sizes"].elements()]
        names, prints = location["names"].texts(), location["part_fingerprints"].texts()
        copies_entry = location.get("has_copies")
        has_copies = copies_entry is not None and copies_entry.yes_no()
        total = sum(sizes)
        if min(sizes, default=0) < 0 or (total < rows if has_copies else total != rows):
            location["sizes"].fail(f"the parts do not add up to {rows} rows.")
        if not len(sizes) == len(names) == len(prints):
            location.fail("names, sizes and fingerprints are not equally many.")
        order = self._array(f"data/{key}.split.npy", np.dtype("<i8"), (total,))
        seen = np.zeros(rows, dtype=bool)
        seen[order[(order >= 0) & (order < rows)]] = True
        if not seen.all() or order.min(initial=0) < 0 or order.max(initial=0) >= max(rows, 1):
            location.fail("the parts do not hold every row once.")
        ends = np.cumsum([0, *sizes]).tolist()
        indices = tuple(order[low:high].astype(np.intp) for low, high in pairwise(ends))
        copies = None
        if has_copies:
            counts = self._array(f"data/{key}.split-copies.npy", np.dtype("<i8"), (total,))
            if counts.min(initial=0) < 0:
                location.fail("a part has less than 0 copies of a row.")
            copies = tuple(counts[low:high] for low, high in pairwise(ends))
        seed = location.get("seed")
        return Split(
            indices,
            names,
            None if seed is None else seed.whole(),
            location["fingerprint"].text(),
            prints,
            copies,
        )

    def _array(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of exactly this type and shape; nothing is allocated before that is known."""
        content = self._member(name)
        head = _ARRAY_HEAD.match(content)
        if head is None or head.end() != 10 + int.from_bytes(head[1], "little"):
            self._fail(f"{name} is no array that a project has.")
        expected = dtype.newbyteorder("<")
        result = tuple(int(size) for size in head[3].split(b",") if size.strip().isdigit())
        if result != shape or head[2].decode() != expected.str:
            self._fail(
                f"{name} holds an array of {head[2].decode()} {result} "
                f"instead of {expected.str} {shape}."
            )
        if len(content) - head.end() != expected.itemsize * math.prod(shape):
            self._fail(f"{name} is not as long as its header states.")
        body = np.frombuffer(content, dtype=expected, offset=head.end())
        return body.reshape(shape).astype(dtype, copy=False)

    def _model(self, location: JsonElement, document: JsonElement) -> ModelEntry:
        try:
            file = file_of_document(document, self._path)
        except ModelFileError as problem:  # from checks that know nothing of projects
            document.fail(problem.reason)
        model = file.model
        edge_notes: dict[Edge, str] = {}
        for element in location["edge_notes"].elements():
            texts = element.texts()
            if len(texts) != 3:
                element.fail("expected the two ends of an edge and a note.")
            edge_notes[texts[0], texts[1]] = texts[2]
        if model.kind != location["kind"].text():
            location["kind"].fail(f"the model is {a_kind(model.kind)}.")
        return ModelEntry(
            title=location["title"].text(),
            model=model,
            data_id=self._reference(location, "data", self._data_ids),
            run_id=self._reference(location, "run", self._run_ids),
            is_edited=location["edited"].yes_no(),
            layouts={name: inside.points() for name, inside in location["layouts"].entries()},
            display_modes=_texts(location["display_modes"]),
            node_titles=_texts(location["node_titles"]),
            notes=location["notes"].text(),
            node_notes=_texts(location["node_notes"]),
            edge_notes=edge_notes,
            provenance=dict(location["provenance"].mapping()),
            properties=file.properties,
        )

    def _cases(self) -> dict[str, EvidenceCase]:
        listed = dict(self._document("evidence.json").entries())

        def case_of(name: str) -> EvidenceCase:
            index = listed[name]
            model_id = self._reference(index, "model", self._model_ids)
            return EvidenceCase(read_evidence(index["evidence"]), model_id)

        return self._parts("Evidence", listed, case_of)

    def _run(self, location: JsonElement) -> Run:
        outcome = location["outcome"].text()
        if outcome not in {known.value for known in Outcome}:
            location["outcome"].fail(f"a run does not end “{outcome}”.")
        trace = []
        for element in location["trace"].elements():
            pair = element.elements()
            if len(pair) != 2:
                element.fail("expected a time or step and a score.")
            trace.append((_number(pair[0]), _number(pair[1])))
        return Run(
            learner=location["learner"].text(),
            params=dict(location["params"].mapping()),
            seed=location["seed"].whole(),
            data_fingerprint=location["data_fingerprint"].text(),
            program_version=location["program_version"].text(),
            outcome=Outcome(outcome),
            title=location["title"].text(),
            data_id=self._reference(location, "data", self._data_ids),
            model_id=self._reference(location, "model", self._model_ids),
            seconds=_number(location["seconds"]),
            measures={name: _number(inside) for name, inside in location["measures"].entries()},
            trace=tuple(trace),
            messages=location["messages"].texts(),
            artifacts={} if (saved := location.get("kept")) is None else dict(saved.mapping()),
        )

    def _curve(self, location: JsonElement) -> CurveEntry:
        return CurveEntry(
            location["title"].text(),
            tuple(dict(point.mapping()) for point in location["points"].elements()),
            self._reference(location, "data", self._data_ids),
            {} if (setup := location.get("setup")) is None else dict(setup.mapping()),
            "" if (folder := location.get("folder")) is None else folder.text(),
            () if (pinned := location.get("pinned")) is None else pinned.texts(),
        )

    def _comparison(self, location: JsonElement) -> ComparisonEntry:
        model_ids = location["models"].texts()
        if not self._model_ids.issuperset(model_ids):
            location["models"].fail("names a model that is not in the project.")
        return ComparisonEntry(
            location["title"].text(), model_ids, self._reference(location, "data", self._data_ids)
        )


def _texts(location: JsonElement) -> dict[str, str]:
    return {name: inside.text() for name, inside in location.entries()}


def _number(location: JsonElement) -> float:
    """A number; JSON has no infinities, so they are texts."""
    if location.value in ("inf", "-inf", "nan"):
        return float(location.value)
    return location.number()
