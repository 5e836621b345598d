"""PGM Studio: learn, look at, edit and question probabilistic graphical models.

>>> import pgmstudio as pgm
>>> data = pgm.read_data(pgm.sample_path("coronary.csv"))
>>> tree = pgm.learn("tree.chow-liu", data)
>>> tree.query("pressure", given={"smoking": "yes"})
pressure
  140 or over  ██████████                0.4276
  under 140    ██████████████            0.5724

The names below are loaded when they are first used, so that `import pgmstudio` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pgmstudio.version import __version__ as __version__

if TYPE_CHECKING:
    from pgmstudio import sklearn as sklearn
    from pgmstudio.api.answers import Beliefs as Beliefs
    from pgmstudio.api.answers import Explanation as Explanation
    from pgmstudio.api.data import Data as Data
    from pgmstudio.api.data import read_data as read_data
    from pgmstudio.api.data import sample_path as sample_path
    from pgmstudio.api.exchange import from_networkx as from_networkx
    from pgmstudio.api.exchange import from_pgmpy as from_pgmpy
    from pgmstudio.api.exchange import from_pyagrum as from_pyagrum
    from pgmstudio.api.experiments import average as average
    from pgmstudio.api.experiments import bootstrap as bootstrap
    from pgmstudio.api.experiments import compare as compare
    from pgmstudio.api.experiments import cross_validate as cross_validate
    from pgmstudio.api.experiments import sl_curve as sl_curve
    from pgmstudio.api.learning import iter_learn as iter_learn
    from pgmstudio.api.learning import learn as learn
    from pgmstudio.api.learning import learners as learners
    from pgmstudio.api.learning import parameters as parameters
    from pgmstudio.api.learning import presets as presets
    from pgmstudio.api.models import Fitted as Fitted
    from pgmstudio.api.models import load as load
    from pgmstudio.api.projects import Project as Project
    from pgmstudio.core.errors import PgmStudioError as PgmStudioError
    from pgmstudio.core.graphs.background_knowledge import Knowledge as Knowledge
    from pgmstudio.core.graphs.edge_prices import EdgePrices as EdgePrices

_MODULES = {
    "pgmstudio.api.answers": ("Beliefs", "Explanation"),
    "pgmstudio.api.data": ("Data", "read_data", "sample_path"),
    "pgmstudio.api.exchange": ("from_networkx", "from_pgmpy", "from_pyagrum"),
    "pgmstudio.api.experiments": ("average", "bootstrap", "compare", "cross_validate", "sl_curve"),
    "pgmstudio.api.learning": ("iter_learn", "learn", "learners", "parameters", "presets"),
    "pgmstudio.api.models": ("Fitted", "load"),
    "pgmstudio.api.projects": ("Project",),
    "pgmstudio.core.errors": ("PgmStudioError",),
    "pgmstudio.core.graphs.background_knowledge": ("Knowledge",),
    "pgmstudio.core.graphs.edge_prices": ("EdgePrices",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "sklearn":  # the extra of that name
        return import_module("pgmstudio.sklearn")
    if name not in _HOMES:
        raise AttributeError(f"module 'pgmstudio' has no attribute {name!r}.{_hint(name)}")
    return getattr(import_module(_HOMES[name]), name)


def _hint(name: str) -> str:
    from pgmstudio.core.errors import nearest

    near = None if name.startswith("_") else nearest(name, (*_HOMES, "sklearn"))
    return "" if near is None else f" Did you mean {near}?"


def __dir__() -> list[str]:
    return sorted((*__all__, "sklearn"))
