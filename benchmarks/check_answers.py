"""Answers of every model language against listing all joint states.

    ./run check [--cases N] [--seed N] [--language NAME]

Random small models with zeros, tiny probabilities, variables of one state and unconnected parts
are asked with observations, excluded states, likelihoods and interventions, and each answer is
compared: beliefs, P(evidence), the most probable explanation (MPE), the most probable states of
some variables (MAP), and the probability of weighted rows with missing cells. What is expected is
computed here, state by state from the definition of the language, in plain Python: nothing of the
program's inference, not even the weight of a finding, is used for it.

A case is one answer to one question. Exit code 1 when any differs, with what repeats it.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.likelihood import log2_likelihood, log2_probabilities
from pgmstudio.core.languages.pdg.model import DecisionGraph, without_unreachable
from pgmstudio.core.languages.sessions import ask, most_probable_together, open_session, warm_up
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture

Floats = NDArray[np.float64]
Case = tuple[int, ...]
Rng = np.random.Generator

TOLERANCE = 1e-9
MAX_STATES = 600
KINDS = ("hard", "excluded", "likelihood", "do", "mixed")
ANSWERS = ("beliefs", "P(e)", "MPE", "MAP", "rows")
TINY = 1e-40


# -- random models


def random_domain(rng: Rng) -> Domain:
    """One to six variables of one to four states, few enough joint states to list."""
    while True:
        cards = rng.choice([1, 2, 3, 4], p=[0.1, 0.45, 0.3, 0.15], size=rng.integers(1, 7))
        if math.prod(cards.tolist()) <= MAX_STATES:
            break
    return Domain(
        tuple(Variable(f"X{i}", tuple(f"s{k}" for k in range(c))) for i, c in enumerate(cards))
    )


def random_rows(rng: Rng, *shape: int) -> Floats:
    """Distributions along the last axis; in some tables cells are 0, or nearly so."""
    table = rng.gamma(0.7, size=shape) + 1e-3
    if rng.random() < 0.6:
        struck = rng.random(shape) < rng.choice([0.2, 0.5])
        np.put_along_axis(struck, table.argmax(axis=-1, keepdims=True), False, axis=-1)
        table[struck] = rng.choice([0.0, TINY], p=[0.8, 0.2])
    return np.asarray(table / table.sum(axis=-1, keepdims=True))


def random_parents(rng: Rng, count: int, most: int) -> tuple[tuple[int, ...], ...]:
    """A graph along a random order; often in several parts."""
    order, density = rng.permutation(count), rng.choice([0.2, 0.5, 0.9])
    parents: list[tuple[int, ...]] = [()] * count
    for place, child in enumerate(order):
        before = order[:place][rng.random(place) < density]
        parents[child] = tuple(int(p) for p in rng.permutation(before)[:most])
    return tuple(parents)


def random_network(rng: Rng) -> BayesianNetwork:
    domain = random_domain(rng)
    dag = Dag(domain.names, random_parents(rng, len(domain), 3))
    cards = domain.cardinalities
    tables = [
        random_rows(rng, *(cards[p] for p in parents), cards[i])
        for i, parents in enumerate(dag.parent_indices)
    ]
    return BayesianNetwork(domain, dag, tuple(tables))


def random_tree(rng: Rng, domain: Domain | None = None) -> Tree:
    domain = domain or random_domain(rng)
    cards, parents = domain.cardinalities, random_parents(rng, len(domain), 1)
    tables = [random_rows(rng, *(cards[p] for p in ps), cards[i]) for i, ps in enumerate(parents)]
    return Tree(domain, tuple(ps[0] if ps else None for ps in parents), tuple(tables))


def random_labelled(rng: Rng) -> LabelledDag:
    """Configurations of the parents share rows along a random tree of splits, which is a labelled
    graph whose labels depend on the context."""
    domain = random_domain(rng)
    dag = Dag(domain.names, random_parents(rng, len(domain), 3))
    cards = domain.cardinalities
    classes, rows = [], []
    for i, parents in enumerate(dag.parent_indices):
        found = np.zeros(tuple(cards[p] for p in parents), dtype=np.int64)
        _split(rng, found, [slice(None)] * len(parents), itertools.count(1))
        _, found = np.unique(found, return_inverse=True)
        found = found.reshape(tuple(cards[p] for p in parents))
        classes.append(found)
        rows.append(random_rows(rng, int(found.max()) + 1, cards[i]))
    return LabelledDag(domain, dag, tuple(classes), tuple(rows))


def _split(rng: Rng, classes: NDArray[np.int64], inside: list[Any], numbers: Iterator[int]) -> None:
    """Give each part of the configurations its own class, by the states of a parent still free."""
    classes[tuple(inside)] = next(numbers)
    free = [axis for axis, part in enumerate(inside) if isinstance(part, slice)]
    if not free or rng.random() < 0.35:
        return
    axis = int(rng.choice(free))
    for state in range(classes.shape[axis]):
        _split(rng, classes, [*inside[:axis], state, *inside[axis + 1 :]], numbers)


def random_mixture(rng: Rng) -> TreeMixture:
    domain = random_domain(rng)
    trees = tuple(random_tree(rng, domain) for _ in range(rng.integers(1, 4)))
    return TreeMixture(domain, random_rows(rng, len(trees)), trees)


def random_chosen_mixture(rng: Rng) -> TreeMixture:
    """The component is a variable of the domain, anywhere among the others."""
    hidden = random_mixture(rng)
    choice = Variable("choice", tuple(f"k{k}" for k in range(len(hidden.trees))))
    others = list(hidden.domain.variables)
    others.insert(int(rng.integers(len(others) + 1)), choice)
    return TreeMixture(Domain(tuple(others)), hidden.weights, hidden.trees, "choice")


def random_classes(rng: Rng) -> LatentClasses:
    domain, classes = random_domain(rng), int(rng.integers(1, 5))
    tables = tuple(random_rows(rng, classes, card) for card in domain.cardinalities)
    return LatentClasses(domain, random_rows(rng, classes), tables)


def random_decision_graph(rng: Rng) -> DecisionGraph:
    domain = random_domain(rng)
    cards, order = domain.cardinalities, [int(i) for i in rng.permutation(len(domain))]
    forest: list[int | None] = [None] * len(cards)
    nodes = [1] * len(cards)
    edges: list[NDArray[np.int64] | None] = [None] * len(cards)
    for place, i in enumerate(order):
        if place and rng.random() < 0.8:
            above = forest[i] = order[int(rng.integers(place))]
            nodes[i] = int(rng.integers(1, 5))
            edges[i] = rng.integers(nodes[i], size=(nodes[above], cards[above]))
    parameters = tuple(random_rows(rng, n, c) for n, c in zip(nodes, cards, strict=True))
    return without_unreachable(domain, tuple(forest), parameters, tuple(edges), tuple(order))


# -- probabilities of one joint state, from the definition of each language


def of_network(model: BayesianNetwork, case: Case, done: Mapping[int, int]) -> float:
    """Π P(xᵢ | parents) over the variables that were not set."""
    return math.prod(
        float(case[i] == done[i])
        if i in done
        else float(model.tables[i][tuple(case[p] for p in parents)][case[i]])
        for i, parents in enumerate(model.dag.parent_indices)
    )


def of_tree(model: Tree, case: Case, done: Mapping[int, int]) -> float:
    """Π P(xᵢ | its one parent) over the variables that were not set."""
    found = 1.0
    for i, parent in enumerate(model.parents):
        row = model.tables[i] if parent is None else model.tables[i][case[parent]]
        found *= float(case[i] == done[i]) if i in done else float(row[case[i]])
    return found


def of_labelled(model: LabelledDag, case: Case, done: Mapping[int, int]) -> float:
    """As a network whose configurations of parents name a row."""
    found = 1.0
    for i, parents in enumerate(model.dag.parent_indices):
        if i in done:
            found *= float(case[i] == done[i])
        else:
            number = int(model.classes[i][tuple(case[p] for p in parents)])
            found *= float(model.rows[i][number][case[i]])
    return found


def of_mixture(model: TreeMixture, case: Case, _done: Mapping[int, int]) -> float:
    """Σ λ_k T^k(x); where the choice is a variable, its state names the one k."""
    if model.choice is None:
        parts = zip(model.weights.tolist(), model.trees, strict=True)
        return math.fsum(weight * of_tree(tree, case, {}) for weight, tree in parts)
    place = model.domain.index(model.choice)
    inner = case[:place] + case[place + 1 :]
    return float(model.weights[case[place]]) * of_tree(model.trees[case[place]], inner, {})


def of_classes(model: LatentClasses, case: Case, _done: Mapping[int, int]) -> float:
    """Σ P(c) Π P(xᵢ | c)."""
    return math.fsum(
        float(weight) * math.prod(float(t[c][s]) for t, s in zip(model.tables, case, strict=True))
        for c, weight in enumerate(model.weights)
    )


def of_decision_graph(model: DecisionGraph, case: Case, _done: Mapping[int, int]) -> float:
    """Π of the numbers of the nodes that the case reaches from the roots."""
    reached: dict[int, int] = {}

    def node(i: int) -> int:
        above, edges = model.forest[i], model.successors[i]
        if above is None or edges is None:
            return 0
        if i not in reached:
            reached[i] = int(edges[node(above)][case[above]])
        return reached[i]

    return math.prod(float(model.parameters[i][node(i)][case[i]]) for i in range(len(case)))


@dataclass(frozen=True)
class Language:
    """How to draw a model, what a joint state has in it, and whether do() has a meaning."""

    draw: Callable[[Rng], Any]
    probability: Callable[[Any, Case, Mapping[int, int]], float]
    intervenes: bool


LANGUAGES = {
    "network": Language(random_network, of_network, True),
    "tree": Language(random_tree, of_tree, True),
    "labelled DAG": Language(random_labelled, of_labelled, True),
    "mixture": Language(random_mixture, of_mixture, False),
    "mixture, choice seen": Language(random_chosen_mixture, of_mixture, False),
    "latent classes": Language(random_classes, of_classes, False),
    "decision graph": Language(random_decision_graph, of_decision_graph, False),
}


# -- questions


def random_finding(rng: Rng, variable: Variable, kind: str) -> Finding:
    states = variable.states
    if kind == "mixed":
        kind = str(rng.choice(["hard", "excluded", "likelihood"]))
    if kind == "do":
        return Done(str(rng.choice(states)))
    if kind == "hard" or (kind == "excluded" and len(states) == 1):
        return Observed(str(rng.choice(states)))
    if kind == "excluded":
        gone = rng.choice(states, size=rng.integers(1, len(states)), replace=False)
        return Excluded(frozenset(map(str, gone)))
    weights = rng.random(len(states)) * (rng.random(len(states)) < 0.8)
    weights[rng.integers(len(states))] = 1.0
    scale = float(rng.choice([1.0, 1e-6, 250.0]))
    given = [(s, scale * w) for s, w in zip(states, weights.tolist(), strict=True)]
    return Likelihood(tuple(g for g in given if g[1] > 0 or rng.random() < 0.5))


def random_evidence(rng: Rng, domain: Domain, kind: str, intervenes: bool) -> dict[str, Finding]:
    """One to three findings, interventions first: what is seen may be possible only after them."""
    count = int(rng.integers(1, min(3, len(domain)) + 1))
    names = [str(name) for name in rng.choice(domain.names, size=count, replace=False)]
    kinds = ["mixed" if kind == "do" else kind] * count
    if kind == "do" or (kind == "mixed" and intervenes and rng.random() < 0.3):
        kinds[0] = "do"  # the first is set, the others are seen
    return {n: random_finding(rng, domain[n], k) for n, k in zip(names, kinds, strict=True)}


def weight_of(variable: Variable, finding: Finding, state: str) -> float:
    """P(finding | state), a likelihood scaled to a largest value of 1."""
    match finding:
        case Observed(seen):
            return float(state == seen)
        case Excluded(gone):
            return float(state not in gone)
        case Likelihood(given):
            return dict(given).get(state, 0.0) / max(weight for _, weight in given)
        case Done():
            return 1.0  # the factor of the variable says it


class Listing:
    """P(x, e) of every joint state x."""

    def __init__(self, language: Language, model: Any, evidence: Mapping[str, Finding]) -> None:
        self.domain: Domain = model.domain
        self.table: dict[Case, float] = {}
        done = {
            self.domain.index(n): self.domain[n].states.index(f.state)
            for n, f in evidence.items()
            if isinstance(f, Done)
        }
        weights = [
            [
                weight_of(v, evidence[v.name], state) if v.name in evidence else 1.0
                for state in v.states
            ]
            for v in self.domain
        ]
        for case in itertools.product(*map(range, self.domain.cardinalities)):
            found = math.prod(w[s] for w, s in zip(weights, case, strict=True))
            if found > 0:
                found *= language.probability(model, case, done)
            self.table[case] = found
        self.total = math.fsum(self.table.values())

    def marginal(self, names: Sequence[str]) -> dict[Case, float]:
        """P(names = states, e)."""
        places = [self.domain.index(name) for name in names]
        parts: dict[Case, list[float]] = {}
        for case, value in self.table.items():
            parts.setdefault(tuple(case[p] for p in places), []).append(value)
        return {states: math.fsum(values) for states, values in parts.items()}


# -- comparison


@dataclass
class Report:
    """How many answers of each sort agreed, the largest difference, and those that are wrong."""

    cases: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    largest: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.cases.total()


class Question:
    """One model with one set of findings; every answer is one case."""

    def __init__(self, report: Report, name: str, kind: str, seed: Sequence[int]) -> None:
        self.report, self.name, self.kind, self.seed = report, name, kind, tuple(seed)
        self.rng = np.random.default_rng(self.seed)
        self.language = LANGUAGES[name]
        self.model = self.language.draw(self.rng)
        self.domain: Domain = self.model.domain
        self.evidence = random_evidence(self.rng, self.domain, kind, self.language.intervenes)
        self.expected = Listing(self.language, self.model, self.evidence)
        count = int(self.rng.integers(1, len(self.domain) + 1))
        some = self.rng.choice(self.domain.names, size=count, replace=False)
        self.some = [str(name) for name in some]

    def compare(self) -> None:
        has_meaning = self.language.intervenes or self.kind != "do"
        if not has_meaning or self.expected.total == 0:
            self._is_refused(ImpossibleEvidenceError if has_meaning else GraphError)
        else:
            for answer, check in (
                ("beliefs", self._beliefs),
                ("P(e)", self._evidence_probability),
                ("MPE", self._most_probable),
                ("MAP", self._most_probable_of_some),
            ):
                self._counted(answer, check)
        self._counted("rows", self._rows)

    def _counted(self, answer: str, check: Callable[[], None]) -> None:
        before = len(self.report.wrong)
        try:
            check()
        except Exception as problem:  # a crash is a wrong answer, too
            self._wrong(f"{type(problem).__name__}: {problem}")
        if len(self.report.wrong) == before:
            self.report.cases[self.name, self.kind, answer] += 1

    def _wrong(self, what: str) -> None:
        findings = ", ".join(f"{name} {finding}" for name, finding in self.evidence.items())
        self.report.wrong.append(f"{self.name}, {self.kind}, seed {self.seed} ({findings}): {what}")

    def _same(self, what: str, found: float, expected: float) -> None:
        difference = 0.0 if found == expected else abs(found - expected)
        if not difference <= TOLERANCE:  # also when it is no number
            self._wrong(f"{what} is {found!r}, by listing {expected!r}")
        else:
            self.report.largest = max(self.report.largest, difference)

    def _is_refused(self, error: type[Exception]) -> None:
        for asked in (
            lambda: self._session(),
            lambda: ask(self.model, self.some, self.evidence),
            lambda: most_probable_together(self.model, self.some, self.evidence),
        ):
            try:
                asked()
            except error:
                continue
            except Exception as problem:
                self._wrong(f"{type(problem).__name__}: {problem}")
                continue
            self._wrong(f"{error.__name__} was expected")
        self.report.refused[self.name, self.kind] += 1

    def _session(self) -> Any:
        session: Any = open_session(self.model)
        for name, finding in self.evidence.items():
            session.set_evidence(name, finding)
        return session

    def _all_beliefs(self, session: Any, expected: Listing) -> None:
        for variable in self.domain:
            values = session.belief(variable.name).values
            for (state,), value in expected.marginal([variable.name]).items():
                told = f"P({variable.name} = {variable.states[state]} | e)"
                self._same(told, float(values[state]), value / expected.total)

    def _beliefs(self) -> None:
        session, expected = self._session(), self.expected
        self._all_beliefs(session, expected)
        pruned = ask(self.model, self.some, self.evidence).beliefs
        joint = session.joint(self.some)
        for name in self.some:
            for (state,), value in expected.marginal([name]).items():
                self._same(
                    f"asked alone, P({name})", pruned[name].values[state], value / expected.total
                )
        for states, value in expected.marginal(self.some).items():
            self._same(f"the joint of {self.some}", float(joint[states]), value / expected.total)
        # A finding is taken back.
        name = str(self.rng.choice(list(self.evidence)))
        left = {n: f for n, f in self.evidence.items() if n != name}
        fewer = Listing(self.language, self.model, left)
        if fewer.total > 0:
            session.retract(name)
            self._all_beliefs(session, fewer)
            self._same(f"log2 P(e) without {name}", session.log2_evidence(), math.log2(fewer.total))

    def _evidence_probability(self) -> None:
        expected = math.log2(self.expected.total)
        self._same("log2 P(e)", self._session().log2_evidence(), expected)
        asked = ask(self.model, self.some, self.evidence).log2_evidence
        self._same("log2 P(e) asked alone", asked, expected)
        if expected > TOLERANCE:
            self._wrong(f"P(e) is 2^{expected}, above 1")

    def _most_probable(self) -> None:
        session, expected = self._session(), self.expected
        top = math.log2(max(expected.table.values()))
        self._same("log2 of the explanation", session.log2_most_probable(), top)
        states = session.most_probable()
        case = tuple(v.states.index(states[v.name]) for v in self.domain)
        value = expected.table[case]
        self._same("log2 of its states", math.log2(value) if value else -math.inf, top)

    def _most_probable_of_some(self) -> None:
        found = most_probable_together(self.model, self.some, self.evidence, best=3)
        marginal = self.expected.marginal(self.some)
        top = sorted((value for value in marginal.values() if value > 0), reverse=True)[:3]
        if not found.is_exact or len(found.best) != len(top):
            self._wrong(f"{len(found.best)} of {len(top)} combinations, exact: {found.is_exact}")
            return
        log2_evidence = math.log2(self.expected.total)
        for number, (one, value) in enumerate(zip(found.best, top, strict=True), 1):
            told = f"log2 of combination {number} of {self.some}"
            self._same(told, one.log2_probability, math.log2(value) - log2_evidence)
            case = tuple(self.domain[n].states.index(one.states[n]) for n in self.some)
            self._same(f"{told}, its states", math.log2(marginal[case]), math.log2(value))

    def _rows(self) -> None:
        """Rows of any cells, impossible ones among them, with missing cells and weights."""
        expected = Listing(self.language, self.model, {}).table
        cards, count = self.domain.cardinalities, 6
        codes = np.stack([self.rng.integers(card, size=count) for card in cards])
        gone = self.rng.random(codes.shape) < self.rng.choice([0.2, 0.6, 1.0], size=count)
        weights = self.rng.choice([0.0, 0.5, 1.0, 3.0], size=count)
        empty = DataSet(self.domain, np.zeros((len(cards), 0), code_dtype(self.domain)))
        coded = np.where(gone, empty.missing_code, codes).astype(code_dtype(self.domain))
        data = DataSet(self.domain, coded, weights)
        logs = []
        for row in range(count):
            probability = math.fsum(
                value
                for case, value in expected.items()
                if all(gone[i, row] or case[i] == codes[i, row] for i in range(len(cards)))
            )
            logs.append(math.log2(probability) if probability > 0 else -math.inf)
        for row, (found, log2) in enumerate(
            zip(log2_probabilities(self.model, data).tolist(), logs, strict=True)
        ):
            self._same(f"log2 P of row {row} {coded[:, row].tolist()}", found, log2)
        total = math.fsum(w * log2 for w, log2 in zip(weights.tolist(), logs, strict=True) if w > 0)
        self._same("the log-likelihood of the rows", log2_likelihood(self.model, data), total)


def check(cases: int, seed: int = 0, languages: Sequence[str] = tuple(LANGUAGES)) -> Report:
    """Ask until so many answers were compared: each language with each kind of evidence in turn,
    the first half before compiled loops are loaded."""
    report = Report()
    for number in itertools.count():
        for language, kind in itertools.product(languages, KINDS):
            own = (seed, number, list(LANGUAGES).index(language), KINDS.index(kind))
            Question(report, language, kind, own).compare()
            if report.count + len(report.wrong) >= cases:
                return report
        if report.count > cases / 2:
            warm_up()
    raise AssertionError("questions never end")


def main() -> int:
    parser = argparse.ArgumentParser(description="Answers against listing all joint states.")
    parser.add_argument("--cases", type=int, default=6000, help="answers to compare (6000)")
    parser.add_argument("--seed", type=int, default=0, help="other questions (0)")
    parser.add_argument("--language", choices=list(LANGUAGES), help="one language alone")
    args = parser.parse_args()
    languages = tuple(LANGUAGES) if args.language is None else (args.language,)
    report = check(args.cases, args.seed, languages)
    print(f"{'':<33}" + "".join(f"{head:>9}" for head in (*ANSWERS, "refused")))
    for language, kind in itertools.product(languages, KINDS):
        told = [report.cases[language, kind, answer] for answer in ANSWERS]
        told.append(report.refused[language, kind])
        print(f"{language + ', ' + kind:<33}" + "".join(f"{n:>9}" for n in told))
    print(
        f"{report.count} answers agree to {TOLERANCE:g} (largest difference {report.largest:.1e}), "
        f"{report.refused.total()} questions are refused rightly, {len(report.wrong)} are wrong."
    )
    for line in report.wrong[:20]:
        print(line)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
