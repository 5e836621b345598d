"""Formats that hold edges only: a network with uniform tables, and a warning."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, GraphError, ModelFileError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.pdag import Pdag, extension_of
from pgmstudio.core.io.models.files import ModelFile, Point
from pgmstudio.core.io.models.shared.network_builder import NOWHERE, At, what_is_lost
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.table_checks import TableChecker
from pgmstudio.core.model import Model

UNKNOWN_STATES = ("no", "yes")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Structure:
    """Nodes and edges of a file, in its order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kind = ""  # the kind of model, if the file states one
        self._states: dict[str, tuple[str, ...] | None] = {}
        self._directed: dict[tuple[str, str], At] = {}
        self._undirected: dict[tuple[str, str], At] = {}
        self._contexts: dict[tuple[str, str], str] = {}
        self.layout: dict[str, Point] = {}
        self.titles: dict[str, str] = {}
        self.warnings: list[str] = []

    def fail(self, message: str, at: At = NOWHERE) -> NoReturn:
        """Raise ModelFileError with the location in the file."""
        raise ModelFileError(self.path, message, *at)

    def add_node(self, name: str, at: At, states: Sequence[str] | None = None) -> None:
        """Add a node, or the states of a known one."""
        if not name:
            self.fail("a node has no name.", at)
        if states is None:
            self._states.setdefault(name, None)
            return
        try:
            self._states[name] = Variable(name, tuple(states)).states
        except DataError as problem:
            self.fail(str(problem), at)

    def add_edge(
        self, source: str, target: str, at: At, *, directed: bool = True, contexts: str = ""
    ) -> None:
        """An edge, with the text of its contexts if it has any; the same one twice is one."""
        for name in (source, target):
            self.add_node(name, at)
        if source == target:
            role = "its own parent" if directed else "its own neighbour"
            self.fail(f"{source} cannot be {role}.", at)
        (self._directed if directed else self._undirected).setdefault((source, target), at)
        if contexts:
            self._contexts[source, target] = contexts

    def undirected(self) -> dict[tuple[str, str], tuple[At, str]]:
        """All edges without direction, each with its position and the text of its contexts."""
        return {
            ends: (at, self._contexts.get(ends, ""))
            for ends, at in (self._directed | self._undirected).items()
        }

    def file(self, title: str, format_name: str) -> ModelFile:
        """The network with uniform tables, and a warning about them."""
        domain = self.domain(format_name)
        dag = self._dag(domain.names)
        checker = TableChecker(self.path)
        cards = domain.cardinalities
        for index, parents in enumerate(dag.parent_indices):
            shape = [*(cards[parent] for parent in parents), cards[index]]
            checker.reserve(domain.names[index], shape)
        return self.file_of(BayesianNetwork.uniform(domain, dag), title, format_name)

    def domain(self, format_name: str) -> Domain:
        """The variables in the order of the file; states that it does not give are no and yes."""
        if not self._states:
            self.fail(f"holds no nodes; is it a {format_name} file?")
        return Domain(
            tuple(Variable(name, states or UNKNOWN_STATES) for name, states in self._states.items())
        )

    def file_of(self, model: Model, title: str, format_name: str) -> ModelFile:
        """The file of a uniform model over the variables, and a warning about its tables."""
        unknown = [name for name, states in self._states.items() if states is None]
        warning_text = f"{format_name} holds edges but no tables; all tables are uniform."
        if len(unknown) == len(self._states):
            warning_text += " All variables have the states no and yes."
        elif unknown:
            more = ", …" if unknown[10:] else ""
            warning_text += f" States no and yes were made up for {', '.join(unknown[:10])}{more}."
        return ModelFile(
            model,
            title=title,
            titles=self.titles,
            layout=self.layout,
            warnings=(*self.warnings, f"{warning_text} Fill the tables from data."),
        )

    def _dag(self, names: tuple[str, ...]) -> Dag:
        try:
            known = Dag.from_edges(names, self._directed)
        except GraphError as problem:
            self.fail(str(problem))
        open_edges = {
            ends: at
            for ends, at in self._undirected.items()
            if ends not in self._directed and ends[::-1] not in self._directed
        }
        if not open_edges:
            return known
        dag = extension_of(Pdag.from_edges(names, self._directed, open_edges))
        if dag is None:
            one, other = next(iter(open_edges))
            self.fail(
                f"the edge {one} – {other} has no direction, and there is no way to direct "
                "all such edges without a cycle or a new v-structure. Direct them in the file.",
                open_edges[one, other],
            )
        now = [f"{a} → {b}" for a, b in dag.edges if (a, b) in open_edges or (b, a) in open_edges]
        many = "1 edge has" if len(now) == 1 else f"{len(now)} edges have"
        self.warnings.append(
            f"{many} no direction in the file; directed so that no new v-structure arises: "
            f"{', '.join(now[:10])}{', …' if now[10:] else ''}. Check them."
        )
        return dag


def states_from_text(text: str) -> tuple[str, ...] | None:
    """The states in an attribute written by this program; None for other values."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or not values:
        return None
    texts = [value for value in values if isinstance(value, str) and not _SURROGATE.search(value)]
    return tuple(texts) if len(texts) == len(values) == len(set(texts)) else None


def states_text(variable: Variable) -> str:
    """The states as `states_from_text` reads them."""
    return json.dumps(variable.states, ensure_ascii=False)


def structure_lost(
    file: ModelFile,
    format_name: str,
    *others: str,
    language: type = BayesianNetwork,
    called: str = "Bayesian network",
) -> tuple[str, ...]:
    """Warnings about what a format of edges loses: tables, `others`, and the `language`."""
    parts = ["the tables", *others]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    first = f"{format_name} cannot hold {listed}: only a model file with tables keeps them."
    more = what_is_lost(
        file, format_name, titles=True, properties=False, language=language, called=called
    )
    return (first, *more)
