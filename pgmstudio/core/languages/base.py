"""The registry row of a model language, and the protocols that a language may implement.

A row names code as "module:name" and imports it on first use, so reading the row of one language
does not load the modules of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.tuple_degrees import TupleDegrees
from pgmstudio.core.drawing.markers import NEUTRAL, Marker
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import (
    Answer,
    Finding,
    InferenceSession,
    JointSession,
    Scale,
)
from pgmstudio.core.model import Model, ProbabilisticModel

if TYPE_CHECKING:
    import numpy as np

    from pgmstudio.core.drawing.diagram import GraphPicture
    from pgmstudio.core.inference.approximate.session import ApproximateSession
    from pgmstudio.core.inference.programs import InferenceProgram
    from pgmstudio.core.languages.codec import Codec
    from pgmstudio.core.learning.base import Learner
    from pgmstudio.core.learning.edge_moves import EdgeSearch, MoveKey, MoveParams
    from pgmstudio.core.scores.edge_reports import EdgeWhy, LinkStrength

T = TypeVar("T")

BAYESIAN_NETWORK = "bayesian-network"


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """An object named as "module:name", or "module:Class.method", imported on first use."""

    path: str

    @staticmethod
    def within(package: str) -> Callable[[str], Lazy[Any]]:
        """Names relative to a package."""
        return lambda path: Lazy(f"{package}.{path}")

    def load(self) -> T:
        module, _, name = self.path.partition(":")
        # Menus load hundreds a second; `import_module` takes its time also for what is there.
        result: T = attrgetter(name)(sys.modules.get(module) or import_module(module))
        return result


@dataclass(frozen=True, slots=True)
class Diagram:
    """One diagram of the models of a language.

    `edits` are the names of the edits that can be made in it. `svg` writes it in a form of its own,
    with beliefs; without it the nodes and edges of `draw` are laid out. `is_structure` means that
    its edges are those of the model, so that constraints on edges can be shown in it; `is_detail`
    that it is needed less often than the others.
    """

    name: str
    draw: Lazy[Callable[[Any], GraphPicture]]
    edits: frozenset[str] = frozenset()
    svg: Lazy[Callable[[Any, Mapping[str, Finding], str, str | None], str]] | None = None
    title: str = ""  # in menus; empty: the name
    description: str = ""
    is_structure: bool = False
    has_variables: bool = True  # whether its nodes are variables
    is_detail: bool = False

    @property
    def label(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name.replace("-", " ").capitalize()


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion of a model to another language with the same distribution.

    `unsupported_reason` is a quick look at the structure: why the conversion is impossible, or
    None.
    """

    convert: Lazy[Callable[[Any], Model]]
    unsupported_reason: Lazy[Callable[[Any], str | None]] | None = None


@dataclass(frozen=True, slots=True)
class ContextOperations:
    """Operations of a language in which edges may vanish in a context, an assignment of states."""

    separation: Lazy[Callable[..., Any]]  # model, first, second, given, context
    information: Lazy[Callable[..., float]]  # model, names, context: I(A;B|Z) in bits
    draw: Lazy[Callable[[Any, Mapping[int, int]], GraphPicture]]  # model, context as codes
    multinet: Lazy[Callable[[Any, str, Mapping[int, int]], GraphPicture]]  # model, variable, codes
    multinet_variable: Lazy[Callable[[Any], str]]
    deciding_variables: Lazy[Callable[[Any], set[str]]]  # whose states decide what vanishes
    vanished_edges: Lazy[Callable[[Any, Mapping[int, int]], Collection[Any]]]  # model, codes
    edge_contexts: Lazy[Callable[[Any, str, str], list[str]]]  # model, ends: where it vanishes


class EdgeExplainer(Protocol):
    """Explains edges by one data set; counts are cached from one question to the next."""

    def explain(
        self,
        model: Any,
        one: str,
        other: str,
        *,
        knowledge: Knowledge | None = None,
        cancel: CancelToken = NEVER,
    ) -> EdgeWhy: ...


class EdgeAnalysis(Protocol):
    """Questions about single edges of a language's models: moves, strengths and explanations."""

    @property
    def is_directed(self) -> bool: ...

    @property
    def move_scores(self) -> Mapping[str, str]:
        """What each score of `MoveParams` that moves can have is called in this language."""

    @property
    def score_title(self) -> str:
        """The score of `strengths`."""

    def graph_of(self, model: Any) -> Any:
        """What moves change; GraphError if the model has no such edges."""

    def rules(
        self,
        names: Sequence[str],
        knowledge: Knowledge | None,
        max_parents: int | None,
        vetoes: Collection[MoveKey] = (),
    ) -> Any:
        """The constraints of a search; vetoed moves are not made."""

    def search(self, data: DataSet, params: MoveParams, graph: Any) -> EdgeSearch: ...

    def fitted(
        self,
        model: Any,
        graph: Any,
        data: DataSet,
        smoothing: float,
        cancel: CancelToken = NEVER,
    ) -> Model:
        """The model with another graph and parameters from the rows."""

    def model_of_edges(
        self,
        edges: Iterable[tuple[str, str]],
        data: DataSet,
        smoothing: Any,
        rng: np.random.Generator,
    ) -> Model:
        """The model with these edges and parameters from the rows."""

    def explainer(self, data: DataSet, params: Any = None) -> EdgeExplainer:
        """With the score of a run's parameters, where they have one."""

    def strengths(
        self, model: Any, data: DataSet, cancel: CancelToken = NEVER
    ) -> tuple[LinkStrength, ...]:
        """All edges, what the score would lose least first."""

    def gains(
        self, model: Any, data: DataSet, score: str, cancel: CancelToken = NEVER
    ) -> Iterator[tuple[tuple[str, str], float]]:
        """What the score would lose without each edge, in bits."""

    def removal_divergences(
        self, model: Any, session: JointSession
    ) -> Iterator[tuple[tuple[str, str], float]]:
        """KL(P ‖ P') in bits for each edge, P' being the model without it."""


@dataclass(frozen=True)
class ComparisonEntry:
    """A learner that takes part in the comparison of languages.

    `title` and `short_title` are empty where those of the language serve. Entries run by ascending
    `order`: quick learners first, since the time that they leave goes to the others.
    """

    key: str
    learner: str
    order: int
    settings: Mapping[str, object] = field(default_factory=dict)
    description: str = ""
    title: str = ""
    short_title: str = ""
    has_pseudo_counts: bool = True


@dataclass(frozen=True, kw_only=True)
class Language:
    """A model language: everything that the program asks of it, in one row of the registry."""

    kind: str  # in files and on the command line; never changes
    title: str  # "Bayesian network"; written only here
    short_title: str  # "BN"
    model_type: Lazy[type[Model]]
    scale: Scale = Scale.PROBABILITY
    marker: Marker = NEUTRAL  # on plots and in lists
    # Of learners whose models are marked differently.
    learner_markers: Mapping[str, Marker] = field(default_factory=dict)
    session: Lazy[Callable[[Any], InferenceSession]] | None = None
    # Estimates with errors, for models too large for `session`.
    approximate_session: Lazy[Callable[..., ApproximateSession]] | None = None
    # Exact inference as plain numbers, for pages; None: through the network, where there is one
    # over the same variables.
    program: Lazy[Callable[[Any], InferenceProgram]] | None = None
    codec: Lazy[Codec] | None = None

    diagrams: tuple[Diagram, ...] = ()  # the first is shown on opening
    # Diagrams that depend on the model, such as one for each tree of a mixture.
    diagram_names: Lazy[Callable[[Any], tuple[str, ...]]] | None = None
    draw_named: Lazy[Callable[[Any, str], GraphPicture | None]] | None = None
    # Drawings that are no diagrams of nodes and edges, by name.
    drawings: Mapping[str, Lazy[Callable[[Any, Mapping[str, Finding], str, str | None], str]]] = (
        field(default_factory=dict)
    )
    contexts: ContextOperations | None = None  # where edges may vanish in a context
    edge_analysis: Lazy[EdgeAnalysis] | None = None  # None: as directed edges, if it has them

    learners: Mapping[str, Lazy[Callable[[], Learner[Any]]]] = field(default_factory=dict)
    comparison: tuple[ComparisonEntry, ...] = ()

    # The same distribution as a Bayesian network. Where `is_network`, over the same variables and
    # with the same tables, so that algorithms for networks apply to the model directly.
    to_network: Lazy[Callable[[Any], Any]] | None = None
    is_network: bool = False
    # Further conversions to other languages, and conversions of other languages to this one.
    conversions: Mapping[str, Conversion] = field(default_factory=dict)
    conversions_from: Mapping[str, Conversion] = field(default_factory=dict)
    # The first model of a search, from a network in which every variable has one parent at most.
    from_network: Lazy[Callable[[Any], Model]] | None = None
    starts_with_tree: bool = True  # whether the best tree over the columns is such a first model

    edits: Mapping[str, Lazy[Callable[..., Model]]] = field(default_factory=dict)
    # For copy and paste of nodes: the model of some variables, with notices of what was lost; and
    # two models with different variables as one.
    part_of: Lazy[Callable[[Any, Collection[str]], tuple[Model, tuple[str, ...]]]] | None = None
    joined: Lazy[Callable[[Any, Any], Model]] | None = None

    # Quicker ways than a session, where the language has them: beliefs of a few variables, the most
    # probable states of a few variables, and log2 P(row) of rows with missing cells.
    query: Lazy[Callable[[Any, Sequence[str], Mapping[str, Finding]], Answer]] | None = None
    map_query: Lazy[Callable[..., Any]] | None = None
    incomplete_log2: Lazy[Callable[[Any, DataSet], Floats]] | None = None

    # How well a model without probabilities agrees with rows: names and numbers.
    fit_measures: Lazy[Callable[[Any, DataSet], dict[str, float]]] | None = None
    fit_order: tuple[str, ...] = ()  # which of them should be small, the most important first
    size_title: str = "Free parameters"  # what the size of its tables counts
    effective_size_note: str = ""  # what the effective size counts
    size_breakdown: Lazy[Callable[[Any], Any]] | None = None
    has_interventions: bool = False
    intervention_note: str = ""  # what has to be known about do() in this language
    # The role of every variable that a prediction of the target uses; others are not used.
    roles: Lazy[Callable[[Any, str], dict[str, str]]] | None = None
    # The constraints that a model violates, as messages; None: read from its edges.
    violations: Lazy[Callable[[Any, Knowledge], list[str]]] | None = None

    @property
    def default_learner(self) -> str | None:
        """The learner that the comparison of languages runs; None if it takes no part."""
        return self.comparison[0].learner if self.comparison else None

    @property
    def noun(self) -> str:
        """The title within a sentence: lower case, but for the names of people."""
        return (
            self.title if self.title.startswith(("Bayesian", "Markov")) else lower_first(self.title)
        )

    def open_session(self, model: Model) -> InferenceSession:
        """A session without evidence."""
        assert self.session is not None
        return self.session.load()(model)


def lower_first(text: str) -> str:
    """The text with a lower-case first letter."""
    return text[:1].lower() + text[1:]


@runtime_checkable
class ComponentModel(ProbabilisticModel, Protocol):
    """A mixture: a weighted sum of components to which the rows of data belong."""

    @property
    def weights(self) -> Floats: ...

    @property
    def choice(self) -> str | None:
        """The observed variable whose states are the components; None if they are hidden."""

    @property
    def component_names(self) -> tuple[str, ...]: ...

    @property
    def component_title(self) -> str:
        """What a component is called: "class", "component", or the name of its variable."""

    def component_marginals(self) -> Mapping[str, Floats]:
        """P(X | component) of every variable of the components, components × states."""

    def component_log2_likelihoods(self, data: DataSet) -> Floats:
        """log2 P(component, row), components × rows."""


@runtime_checkable
class TargetModel(Model, Protocol):
    """A model with a quicker way to P(target, other cells) than one query for every state."""

    def target_log2(self, rows: DataSet, target: str) -> Floats | None:
        """log2 P(target = s, the other cells of the row), states × rows; the target is missing in
        all rows. None where this model has no such way for this target."""


@runtime_checkable
class NodeModel(Model, Protocol):
    """A model whose variables are represented by several nodes each."""

    @property
    def node_counts(self) -> tuple[int, ...]:
        """The number of nodes of every variable."""

    def parameter_size(self) -> int:
        """The number of parameters with those that are determined by the others."""


@runtime_checkable
class ClassSizesModel(Model, Protocol):
    """A latent class model, whose size is counted in several ways (Nielsen 2007, §3.4.3)."""

    def definition_size(self) -> int:
        """|C| Σ (|R(X)| − 1) (eq. 3.59)."""

    def printed_size(self) -> int:
        """|C| (1 + Σ (|R(X)| − 1)) (Tables 5.4 and 5.7)."""


@runtime_checkable
class HasNetwork(Model, Protocol):
    """A model that gives its distribution as a Bayesian network, which may have more variables."""

    @property
    def as_bayesian_network(self) -> ProbabilisticModel: ...


@runtime_checkable
class PossibilisticModel(Model, Protocol):
    """A model whose tuples have degrees of possibility."""

    def tuple_degrees(self) -> TupleDegrees:
        """All possible tuples; TooLargeError if there are too many to list."""


@runtime_checkable
class ComponentSession(Protocol):
    """A session that knows the components of a mixture."""

    def component_posterior(self) -> Floats:
        """P(component | evidence)."""
