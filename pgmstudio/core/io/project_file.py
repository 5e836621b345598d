"""The project file `.pgmz`: a zip of JSON and plain arrays, the same bytes for the same project.

`project.json` lists what there is; `models/<id>.json`, `data/<id>.npy` (codes, variables × rows),
`data/<id>.weights.npy`, `data/<id>.split.npy`, `data/<id>.split-copies.npy` (of weighted rows),
`runs/<id>.json`, `curves/<id>.json`, `knowledge.json` and `evidence.json` hold it. Nothing in it is
executable. Members that are not known here are kept and written back.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio import __version__
from pgmstudio.core.data.counting import Told, unheard
from pgmstudio.core.errors import FileError, ProjectFileError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.evidence_json import evidence_document
from pgmstudio.core.io.json_documents import render_json
from pgmstudio.core.io.knowledge_files import knowledge_document
from pgmstudio.core.io.migrations import VERSION
from pgmstudio.core.io.model_codecs import CODECS
from pgmstudio.core.io.model_files import ModelFile
from pgmstudio.core.io.model_json import document_of, layout_document, variables_document
from pgmstudio.core.io.project_reader import FORMAT, project_in
from pgmstudio.core.project.project import CurveEntry, DataEntry, ModelEntry, Project, Run
from pgmstudio.core.running import NEVER, CancelToken

ENDING = ".pgmz"

# Six times as fast as the usual 6 on coded data, and a third larger.
_EFFORT = 1
_PIECE = 1 << 20  # after so many bytes a stop is heard
_LONG = 1 << 30  # a zip must be told beforehand of a member that may become longer than 2 GB


def read_project(path: Path | str, cancel: CancelToken = NEVER, told: Told = unheard) -> Project:
    """The project in a file; ProjectFileError says what is wrong with it."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            return project_in(stream, path, cancel, told)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ProjectFileError(path, f"cannot be read: {reason}.") from problem


def project_from_bytes(content: bytes, path: Path | str = "project.pgmz") -> Project:
    """The project in bytes; `path` is only for messages."""
    return project_in(io.BytesIO(content), Path(path))


def write_project(
    path: Path | str, project: Project, cancel: CancelToken = NEVER, told: Told = unheard
) -> None:
    """Save the project; at every moment the file is the old one or the new one."""
    path = Path(path)
    try:
        replace_file(path, project_bytes(project, path, cancel, told))
    except ProjectFileError:
        raise
    except FileError as problem:
        raise ProjectFileError(path, problem.message) from problem


def project_bytes(
    project: Project,
    path: Path | str = "project.pgmz",
    cancel: CancelToken = NEVER,
    told: Told = unheard,
) -> bytes:
    """The file as bytes; equal projects give equal bytes."""
    members: dict[str, bytes] = dict(project.unknown.members)
    members["project.json"] = render_json(_project_document(project))
    members["knowledge.json"] = render_json(knowledge_document(project.knowledge))
    members["evidence.json"] = render_json(_evidence_cases(project))
    for model_id, model in project.models.items():
        if model.model.kind not in CODECS:
            raise ProjectFileError(
                path,
                f"{model.title} is a {model.model.kind}; that language "
                "cannot be saved. Remove it or convert it.",
            )
        document = document_of(ModelFile(model.model, title=model.title))
        members[f"models/{model_id}.json"] = render_json(document)
    for model_id, unknown in project.unknown.models.items():
        members[f"models/{model_id}.json"] = render_json(unknown.document)
    for data_id, data in project.data.items():
        members[f"data/{data_id}.npy"] = _npy(data.data.codes)
        if data.data.weights is not None:
            members[f"data/{data_id}.weights.npy"] = _npy(data.data.weights)
        if data.split is not None:
            rows = np.concatenate([np.zeros(0, dtype=np.int64), *data.split.indices])
            members[f"data/{data_id}.split.npy"] = _npy(rows.astype(np.int64))
            if data.split.copies is not None:
                counts = np.concatenate([np.zeros(0, dtype=np.int64), *data.split.copies])
                members[f"data/{data_id}.split-copies.npy"] = _npy(counts.astype(np.int64))
    for run_id, run in project.runs.items():
        members[f"runs/{run_id}.json"] = render_json(_run_document(run))
    for curve_id, curve in project.curves.items():
        members[f"curves/{curve_id}.json"] = render_json(_curve_document(curve))
    return _zipped(members, cancel, told)


def _curve_document(curve: CurveEntry) -> dict[str, Any]:
    told: dict[str, Any] = {"title": curve.title, "data": curve.data_id}
    told |= {"setup": dict(curve.setup)} if curve.setup else {}
    told |= {"folder": curve.folder} if curve.folder else {}
    told |= {"pinned": list(curve.pinned)} if curve.pinned else {}
    return told | {"points": list(curve.points)}


def _zipped(members: Mapping[str, bytes], cancel: CancelToken, told: Told) -> bytes:
    stream = io.BytesIO()
    total = sum(map(len, members.values())) or 1
    done = 0
    deflated = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(stream, "w", deflated, compresslevel=_EFFORT) as archive:
        for name in sorted(members, key=lambda name: (name != "project.json", name)):
            content = memoryview(members[name])
            # A member named by its text has the earliest time that a zip knows.
            with archive.open(name, "w", force_zip64=len(content) >= _LONG) as member:
                for begin in range(0, len(content), _PIECE):
                    cancel.raise_if_cancelled()
                    member.write(content[begin : begin + _PIECE])
                    told((done + begin) / total)
            done += len(content)
            info = archive.getinfo(name)
            info.create_system = 3  # else the bytes tell the system they were written on
            info.external_attr = 0o644 << 16
    return stream.getvalue()


def _npy(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    # Little-endian whatever the machine.
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _project_document(project: Project) -> dict[str, Any]:
    models = {key: _model_entry(entry) for key, entry in project.models.items()}
    models |= {key: dict(unknown.entry) for key, unknown in project.unknown.models.items()}
    return {
        **project.unknown.entries,
        "format": FORMAT,
        "version": VERSION,
        "program": __version__,
        "title": project.title,
        "notes": project.notes,
        "data": {key: _data_entry(entry) for key, entry in project.data.items()},
        "models": models,
        "runs": list(project.runs),
        "curves": list(project.curves),
        "comparisons": {
            key: {"title": e.title, "models": list(e.model_ids), "data": e.data_id}
            for key, e in project.comparisons.items()
        },
    }


def _data_entry(entry: DataEntry) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": entry.name,
        "source": entry.source,
        "notes": entry.notes,
        "rows": entry.data.row_count,
        "weighted": entry.data.weights is not None,
        "missing_markers": list(entry.missing_markers),
        "provenance": entry.provenance,
        "cuts": {
            key: {"column": cuts.column, "points": list(cuts.points), "labels": list(cuts.labels)}
            for key, cuts in sorted(entry.cuts.items())
        },
    }
    if entry.split is not None:
        document["split"] = {
            "names": list(entry.split.names),
            "sizes": [int(rows.size) for rows in entry.split.indices],
            "seed": entry.split.seed,
            "fingerprint": entry.split.fingerprint,
            "part_fingerprints": list(entry.split.part_fingerprints),
        }
        if entry.split.copies is not None:
            document["split"]["has_copies"] = True
    document["variables"] = variables_document(entry.data.domain)
    return document


def _model_entry(entry: ModelEntry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "kind": entry.model.kind,
        "data": entry.data_id,
        "run": entry.run_id,
        "edited": entry.is_edited,
        "notes": entry.notes,
        "layouts": {
            name: layout_document(places) for name, places in sorted(entry.layouts.items())
        },
        "display_modes": dict(sorted(entry.display_modes.items())),
        "node_titles": dict(sorted(entry.node_titles.items())),
        "node_notes": dict(sorted(entry.node_notes.items())),
        "edge_notes": [[*edge, note] for edge, note in sorted(entry.edge_notes.items())],
        "provenance": entry.provenance,
    }


def _evidence_cases(project: Project) -> dict[str, Any]:
    return {
        name: {"model": case.model_id, "evidence": evidence_document(case.evidence)}
        for name, case in project.evidence_cases.items()
    }


def _run_document(run: Run) -> dict[str, Any]:
    return {
        "title": run.title,
        "learner": run.learner,
        "params": run.params,
        "seed": run.seed,
        "data": run.data_id,
        "data_fingerprint": run.data_fingerprint,
        "program_version": run.program_version,
        "outcome": run.outcome.value,
        "model": run.model_id,
        "seconds": _number(run.seconds),
        "measures": {name: _number(value) for name, value in run.measures.items()},
        "messages": list(run.messages),
        "trace": [[_number(x), _number(y)] for x, y in run.trace],
        **({"kept": dict(run.kept)} if run.kept else {}),
    }


def _number(value: float) -> float | str:
    # JSON has no infinities, but a log-likelihood may be one.
    return value if np.isfinite(value) else repr(value)


def entry_of_file(file: ModelFile, title: str, picture: str) -> ModelEntry:
    """A model file as an entry of a project; its layout becomes that of `picture`."""
    return ModelEntry(
        title=file.title or title,
        model=file.model,
        layouts={picture: dict(file.layout)} if file.layout else {},
        notes=file.notes,
        provenance=file.provenance or {},
    )


def file_of_entry(entry: ModelEntry, picture: str) -> ModelFile:
    """An entry of a project as a model file, with the layout of `picture`."""
    return ModelFile(
        entry.model,
        title=entry.title,
        notes=entry.notes,
        layout=entry.layouts.get(picture, {}),
        provenance=entry.provenance or None,
    )
