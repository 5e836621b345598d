"""Models in Python: a wrapper with everything that can be asked of a model of any language."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.api.answers import Beliefs, Drawing, Explanation, Table
from pgmstudio.api.checks import check_seconds, check_whole
from pgmstudio.api.data import Data, TableLike, rows_for
from pgmstudio.api.evidence import States, findings_of
from pgmstudio.core.analysis.classification import TargetBeliefs, target_beliefs
from pgmstudio.core.analysis.cluster_assignment import row_components
from pgmstudio.core.analysis.consensus import consensus_of, consensus_table
from pgmstudio.core.errors import ParameterError, PgmStudioError, named
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.inference.base import Finding, Scale
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.degree_session import degrees_of
from pgmstudio.core.languages.likelihood import log2_likelihood, log2_probabilities
from pgmstudio.core.languages.registry import LANGUAGES, language_of, no_likelihood_reason
from pgmstudio.core.languages.sessions import (
    Accuracy,
    QueryAnswer,
    Sampled,
    SamplePlan,
    answer_query,
    approximate_answer,
    most_probable_together,
    sample_rows,
)
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.model import Model, ProbabilisticModel, edges_of
from pgmstudio.core.number_format import ASCII
from pgmstudio.core.reports.model_svg import drawing_of

if TYPE_CHECKING:
    import networkx

Excluded = Mapping[str, str | Iterable[str]]
Soft = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model, and how it was learned.

    Evidence is given to every question: `given` observed states, `not_` excluded states, `soft`
    likelihoods of states, `do` interventions.

    >>> from pgmstudio.api.data import sample_path
    >>> asia = load(sample_path("asia.json"))
    >>> asia
    Bayesian network with 8 variables, 8 edges and 18 free parameters
    >>> round(asia.query("lung", given={"smoke": "yes", "xray": "yes"})["lung"]["yes"], 3)
    0.646
    """

    model: Model
    measures: Mapping[str, float] = field(default_factory=dict)  # as reported by the learner
    notes: tuple[str, ...] = ()
    artifacts: Mapping[str, RunArtifact] = field(default_factory=dict)  # by kind
    provenance: Mapping[str, Any] | None = None
    is_finished: bool = True  # False: the run was stopped, and this is the best so far
    file: ModelFile | None = field(default=None, repr=False)  # where it was read from

    @property
    def kind(self) -> str:
        """The language: "bayesian-network", "tree", "pdg", …"""
        return self.model.kind

    @property
    def variables(self) -> dict[str, tuple[str, ...]]:
        """The states of every variable."""
        return {variable.name: variable.states for variable in self.model.domain}

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Edges between variables; none for a language without."""
        return edges_of(self.model)

    @property
    def representation_size(self) -> int:
        """Free parameters."""
        return self.model.representation_size()

    @property
    def effective_size(self) -> int:
        """Table cells that an update of all beliefs visits, comparable between languages."""
        return self.model.effective_size()

    # -- questions

    def query(
        self,
        *targets: str | Iterable[str],
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> Beliefs:
        """The beliefs of some variables, or of all, given evidence."""
        findings = self._findings(given, not_, soft, do)
        names = self._named(targets)
        answer = answer_query(self.model, names, findings)
        log2_evidence = answer.log2_evidence
        if language_of(self.model).scale is not Scale.POSSIBILITY:
            beliefs = {name: self._states(name, one.values) for name, one in answer.beliefs.items()}
            return Beliefs(beliefs, log2_evidence)
        degrees = {n: degrees_of(one.values, log2_evidence) for n, one in answer.beliefs.items()}
        return Beliefs(
            {name: self._states(name, one.possibility) for name, one in degrees.items()},
            log2_evidence,
            {name: self._states(name, one.necessity) for name, one in degrees.items()},
        )

    def estimate(
        self,
        *targets: str | Iterable[str],
        error: float = 0.01,
        time_limit: float = 10.0,
        seed: int = 0,
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> Beliefs:
        """Beliefs of a model too large for `query`, with half widths of 95 % intervals (`errors`).

        Ends when no error is above `error`, or after `time_limit` seconds.
        """
        findings = self._findings(given, not_, soft, do)
        names = self._named(targets)
        run = approximate_answer(self.model, names, findings, Accuracy(error, time_limit, seed))
        while True:
            try:
                next(run)
            except StopIteration as end:
                answer: QueryAnswer = end.value
                break
        beliefs = {name: self._states(name, one.values) for name, one in answer.beliefs.items()}
        errors = {
            name: self._states(name, one.errors)
            for name, one in answer.beliefs.items()
            if one.errors is not None
        }
        return Beliefs(beliefs, answer.log2_evidence, errors=errors)

    def mpe(
        self,
        *,
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> Explanation:
        """The most probable explanation: the states of all variables, with the evidence in it."""
        findings = self._findings(given, not_, soft, do)
        answer = answer_query(self.model, [], findings, explain=True)
        assert answer.most_probable is not None
        assert answer.log2_given_evidence is not None
        return Explanation(
            answer.most_probable,
            answer.log2_given_evidence,
            is_exact=answer.log2_bound is None,
            log2_bound=answer.log2_bound,
        )

    def map(
        self,
        *variables: str | Iterable[str],
        best: int = 1,
        time_limit: float | None = 60.0,
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> list[Explanation]:
        """The `best` most probable combinations of some variables, the others summed out."""
        check_whole(1, best=best)
        check_seconds(time_limit=time_limit)
        answer = most_probable_together(
            self.model,
            self._named(variables),
            self._findings(given, not_, soft, do),
            best=best,
            stop=StopSwitch(seconds=time_limit),
        )
        return [
            Explanation(one.states, one.log2_probability, answer.is_exact, answer.log2_bound)
            for one in answer.best
        ]

    def _named(self, names: Iterable[str | Iterable[str]]) -> list[str]:
        """The variables, given one by one or as lists."""
        given: list[str] = []
        for name in names:
            given += [name] if isinstance(name, str) or not isinstance(name, Iterable) else name
        wrong = next((one for one in given if not isinstance(one, str)), None)
        if wrong is not None:
            raise PgmStudioError(f"A variable is named by a text, not by {wrong!r:.60}.")
        return [self.model.domain[name].name for name in given]

    # -- rows

    def log2_probabilities(self, data: TableLike) -> NDArray[np.float64]:
        """log2 P(row) of every row; missing cells are summed out."""
        model = self._probabilistic()
        return log2_probabilities(model, rows_for(model.domain, data))

    def log_likelihood(self, data: TableLike) -> float:
        """Bits per row, higher is better: the mean of log2 P(row)."""
        model = self._probabilistic()
        rows = rows_for(model.domain, data)
        return log2_likelihood(model, rows) / rows.total_weight

    def predict_proba(self, data: TableLike, target: str) -> NDArray[np.float64]:
        """P(target = state | other cells), rows × states; the target's own column is not used."""
        return self._target_beliefs(data, target).probabilities

    def predict(self, data: TableLike, target: str) -> list[str]:
        """The most probable state of the target in every row."""
        beliefs = self._target_beliefs(data, target)
        return [beliefs.variable.states[code] for code in beliefs.chosen]

    def consensus(self, target: str | None = None) -> Table:
        """Per class and variable: the consensus (a state or group of states of at least 80 %, or
        “–”), the most probable state with its probability, the information content log2 r − H and
        the divergence from the margin, in bits. Without `target`, of the components of a mixture.
        """
        head, *lines = consensus_table(consensus_of(self.model, target))
        return Table(tuple(map(str, head)), tuple(map(tuple, lines)))

    def responsibilities(self, data: TableLike) -> NDArray[np.float64]:
        """P(class | row) of a latent class model or P(component | row) of a mixture."""
        return row_components(self.model, rows_for(self.model.domain, data)).responsibilities

    def sample(
        self,
        rows: int,
        *,
        seed: int = 0,
        missing_rate: float = 0.0,
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> Data:
        """Independent rows, also given evidence.

        Of a model that is too large for exact sampling they are drawn by Gibbs sampling, with a
        warning: rows of a chain depend on those before them.
        """
        check_whole(1, rows=rows)
        check_whole(0, seed=seed)
        if not 0 <= missing_rate < 1:
            raise ParameterError({"missing_rate": "must be at least 0 and less than 1"})
        findings = self._findings(given, not_, soft, do)
        plan = SamplePlan(rows, seed, missing_rate, findings or None)
        for event in sample_rows(self.model, plan, NEVER):
            if isinstance(event, Sampled):
                if event.note:
                    warnings.warn(event.note, stacklevel=2)
                return Data(event.data)
        raise AssertionError("sampling ends with its rows")

    # -- other forms

    def convert(self, kind: str) -> Fitted:
        """The same distribution in another language, such as "bayesian-network"."""
        named("language", kind, LANGUAGES)
        return Fitted(converted(self.model, kind))

    def save(self, path: Path | str) -> tuple[str, ...]:
        """Write a model file in the format of its ending; returns what the format cannot hold."""
        file = self.file or ModelFile(self.model, title=Path(path).stem)
        return write_model(path, replace(file, provenance=self.provenance or file.provenance))

    def draw(
        self,
        diagram: str | None = None,
        *,
        beliefs: bool = False,
        theme: str = "light",
        given: States | None = None,
        not_: Excluded | None = None,
        soft: Soft | None = None,
        do: States | None = None,
    ) -> Drawing:
        """A diagram of the model; with evidence, nodes show their beliefs."""
        findings = self._findings(given, not_, soft, do)
        return Drawing(
            drawing_of(
                self.file or ModelFile(self.model),
                picture=diagram,
                findings=findings,
                with_beliefs=beliefs or bool(findings),
                theme=theme,
            )
        )

    def export_page(
        self,
        path: Path | str,
        *,
        title: str | None = None,
        notes: str | None = None,
        scenarios: Mapping[str, States] | None = None,
    ) -> None:
        """Write one HTML file in which anyone with a browser can set evidence and see all beliefs
        change; `scenarios` are observed states that can be chosen by name."""
        from pgmstudio.core.reports.interactive_page.page import PageTask, subject_of_file

        path = Path(path)
        file = self.file or ModelFile(self.model)
        subject = subject_of_file(
            replace(file, provenance=self.provenance or file.provenance), path.stem
        )
        subject = replace(
            subject,
            title=subject.title if title is None else title,
            notes=subject.notes if notes is None else notes,
            scenarios={
                name: self._findings(s, None, None, None) for name, s in (scenarios or {}).items()
            },
        )
        for _ in PageTask(subject, path)(NEVER):
            pass

    def to_networkx(self) -> networkx.Graph:
        """The graph; directed edges make a DiGraph. Nodes have the attribute `states`."""
        from pgmstudio.api.exchange import to_networkx

        return to_networkx(self)

    def to_pgmpy(self) -> Any:
        """A DiscreteBayesianNetwork of pgmpy, which has to be installed."""
        from pgmstudio.api.exchange import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """A BayesNet of pyAgrum, which has to be installed."""
        from pgmstudio.api.exchange import to_pyagrum

        return to_pyagrum(self)

    # -- in a terminal and in a notebook

    def __repr__(self) -> str:
        row = LANGUAGES[self.kind]
        edges = f", {ASCII.count_of(len(self.edges), 'edge')}" if self.edges else ""
        size = f"{self.representation_size:,} {row.size_title.lower()}"
        stopped = "" if self.is_finished else " (stopped early)"
        variables = ASCII.count_of(len(self.model.domain), "variable")
        return f"{row.title} with {variables}{edges} and {size}{stopped}"

    def _repr_svg_(self) -> str:
        return self.draw().svg

    def _findings(
        self, given: States | None, not_: Excluded | None, soft: Soft | None, do: States | None
    ) -> dict[str, Finding]:
        return findings_of(self.model.domain, given, not_, soft, do)

    def _states(self, variable: str, values: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(self.model.domain[variable].states, values.tolist(), strict=True))

    def _probabilistic(self) -> ProbabilisticModel:
        if not isinstance(self.model, ProbabilisticModel):
            raise PgmStudioError(no_likelihood_reason(self.kind) or "This is no distribution.")
        return self.model

    def _target_beliefs(self, data: TableLike, target: str) -> TargetBeliefs:
        self.model.domain[target]  # a wrong name is refused before the rows are read
        rows = rows_for(self.model.domain, data)
        for event in target_beliefs(self.model, rows, target, NEVER):
            if isinstance(event, TargetBeliefs):
                return event
        raise AssertionError("a classification ends with its beliefs")


def load(path: Path | str) -> Fitted:
    """A model from a file of any known format."""
    file = read_model(path)
    return Fitted(file.model, notes=file.warnings, provenance=file.provenance, file=file)
