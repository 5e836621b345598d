"""The learners of all languages, and those of installed plug-ins.

A built-in learner is named in the row of its language. A plug-in adds one by an entry point of the
group `pgmstudio.learners`; one that cannot be loaded becomes a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from pgmstudio.core.errors import ParameterError, named
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.base import Lazy
from pgmstudio.core.languages.plugins import Plugins
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.learning.base import Learner, RunArtifact
from pgmstudio.core.params import Preset

# Short names that are not the part of a key after its full stop.
ALIASES = {
    "hc": "bn.hill-climb",
    "ges": "bn.kes",
    "nb": "bn.naive-bayes",
    "sem": "bn.structural-em",
}
# The preset that an alias stands for.
_ALIAS_PRESETS = {"ges": "ges"}

_registered: dict[str, Learner[Any]] = {}


def learner_keys() -> tuple[str, ...]:
    """The keys of the learners of all languages; none of them is loaded."""
    return tuple(key for row in LANGUAGES.values() for key in row.learners)


@cache
def _loaded(reference: Lazy[Any]) -> Learner[Any]:
    learner: Learner[Any] = reference.load()()
    return learner


def _reference(key: str) -> Lazy[Any] | None:
    return next((row.learners[key] for row in LANGUAGES.values() if key in row.learners), None)


def _read(loaded: Any) -> tuple[str, Learner[Any]]:
    learner: Learner[Any] = loaded() if isinstance(loaded, type) else loaded
    return learner.key, learner


PLUGINS = Plugins("pgmstudio.learners", learner_keys, _read)


def all_learners() -> dict[str, Learner[Any]]:
    """Every learner by its key, built-in ones first; loads all of them."""
    own = {
        key: _loaded(reference)
        for row in LANGUAGES.values()
        for key, reference in row.learners.items()
    }
    return {**own, **PLUGINS.rows, **_registered}


def full_key(name: str) -> str:
    """The key that is meant by a key in any case, by its last part if no other key has it
    (`pc`), or by an alias (`hc`); any other name is returned as it is."""
    keys = (*learner_keys(), *_registered)
    if name in keys:
        return name
    written = name.lower()
    fitting = [key for key in keys if written in (key.lower(), key.lower().partition(".")[2])]
    return fitting[0] if len(fitting) == 1 else ALIASES.get(written, name)


def alias_settings(name: str) -> Mapping[str, str]:
    """The parameters that this alias of a learner sets."""
    preset = _ALIAS_PRESETS.get(name.lower())
    return {} if preset is None else preset_of(learner_of(name), preset).settings


def presets_of(learner: Learner[Any]) -> tuple[Preset, ...]:
    """The named settings that a learner declares."""
    presets: tuple[Preset, ...] = getattr(learner, "presets", ())
    return presets


def preset_of(learner: Learner[Any], name: str) -> Preset:
    """The preset of that name; UnknownNameError suggests the nearest."""
    known = {preset.name: preset for preset in presets_of(learner)}
    if not known:
        raise ParameterError({"preset": f"{learner.key} has none"})
    return named("preset", name, known)


def named_settings(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a learner or an alias: its own, those of the `preset` given, and the others
    given, where a later one replaces an earlier one."""
    rest = {key: value for key, value in given.items() if key != "preset"}
    preset = given.get("preset")
    chosen = {} if preset is None else preset_of(learner_of(name), str(preset)).settings
    return {**alias_settings(name), **chosen, **rest}


def learner_of(key: str) -> Learner[Any]:
    """The learner of that key or alias, the only one that is loaded; UnknownNameError suggests
    the nearest."""
    key = full_key(key)
    if key in _registered:
        return _registered[key]
    reference = _reference(key)
    return _loaded(reference) if reference is not None else named("learner", key, all_learners())


@contextmanager
def registered(learner: Learner[Any]) -> Iterator[None]:
    """Makes a learner known in this process as long as the context lasts."""
    _registered[learner.key] = learner
    try:
        yield
    finally:
        del _registered[learner.key]


def artifact_types() -> dict[str, Any]:
    """The types of the artifacts of all learners by their kind."""
    types: dict[str, Any] = {EdgeFrequencies.kind: EdgeFrequencies}  # of bootstraps
    for learner in all_learners().values():
        types.update((one.kind, one) for one in getattr(learner, "artifacts", ()))
    return types


def restored(
    kind: str, plain: Mapping[str, Any], learner_key: str | None = None
) -> RunArtifact | None:
    """The artifact that a file holds; None for an unknown kind or a damaged entry.

    With the key of the run's learner, only that learner is loaded.
    """
    reference = None if learner_key is None else _reference(learner_key)
    own = () if reference is None else getattr(_loaded(reference), "artifacts", ())
    near = {one.kind: one for one in (EdgeFrequencies, *own)}
    artifact = near.get(kind) or artifact_types().get(kind)
    if artifact is None:
        return None
    try:
        made: RunArtifact = artifact.restored(plain)
    except (KeyError, TypeError, ValueError, IndexError):
        return None  # written by another version, or by hand; the run itself is whole
    return made
