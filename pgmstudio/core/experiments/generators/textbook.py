"""Small data sets of known distribution: logic, parity, the four-cycle, noise, walks, a survey."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.experiments.generators.generator import (
    Generator,
    binary,
    binary_table,
    keep_hidden,
    without_columns,
)
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.params import param

# Parity and the logic data sets (Nielsen 2007, Example 3.11 and §4.5.2). Every row that satisfies
# the definitions is equally probable, every other row impossible, so the entropy is the number of
# free inputs.


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityParams:
    variables: int = param(
        5, title="Variables", low=2, high=250, help="Bits; the last makes the number of ones even."
    )


def parity(params: ParityParams, rng: np.random.Generator, count: int) -> DataSet:
    """P(x) = 2^−(n−1) where the number of ones is even, else 0; entropy n−1 bits."""
    free = rng.integers(0, 2, size=(params.variables - 1, count), dtype=np.uint8)
    last = free.sum(axis=0) % 2
    names = [f"X{number + 1}" for number in range(params.variables)]
    return binary_table(names, [*free, last])


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicParams:
    """The logic data sets have nothing to choose."""


def logic1(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Fair A, B, E, H; C = A∨B, D = A∧B, F = D⊕E, G = ¬C, I = ¬(F∨H), J = ¬(F∧H); 4 bits."""
    a, b, e, h = rng.integers(0, 2, size=(4, count)).astype(bool)
    c, d = a | b, a & b
    f = d ^ e
    columns = [a, b, c, d, e, f, ~c, h, ~(f | h), ~(f & h)]
    return binary_table(list("ABCDEFGHIJ"), columns)


def logic2(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Parity of five bits; 4 bits."""
    return parity(ParityParams(variables=5), rng, count)


def logic3(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Fair X0…X6, H = 1 when two neighbours are both 1; 7 bits."""
    bits = rng.integers(0, 2, size=(7, count)).astype(bool)
    neighbours = (bits[:-1] & bits[1:]).any(axis=0)
    return binary_table([*(f"X{i}" for i in range(7)), "H"], [*bits, neighbours])


LOGIC_GENERATORS = (
    Generator("parity", "Parity", "Bits whose number of ones is even.", ParityParams, parity),
    Generator(
        "logic1", "Logic 1", "Ten bits of a circuit with four fair inputs.", LogicParams, logic1
    ),
    Generator("logic2", "Logic 2", "Parity of five bits.", LogicParams, logic2),
    Generator(
        "logic3",
        "Logic 3",
        "Seven fair bits and whether two neighbours are both 1.",
        LogicParams,
        logic3,
    ),
)


# The selection four-cycle X–Y–Z–U–X (Nielsen 2007, Example 4.1, Table 4.1).
# No directed acyclic graph has exactly its independences X⊥Z|{Y,U} and Y⊥U|{X,Z}. The joint is
# not printed; it is the one that iterative proportional fitting of the four pair tables ends in.

# Axes of the joint are X, Y, U, Z; each table is over the two axes named with it.
PAIR_TABLES = (
    ((0, 1), [[0.22, 0.03], [0.03, 0.22], [0.22, 0.03], [0.03, 0.22]]),
    ((0, 2), [[0.22, 0.03], [0.22, 0.03], [0.03, 0.22], [0.03, 0.22]]),
    ((1, 3), [[0.35, 0.15], [0.15, 0.35]]),
    ((2, 3), [[0.35, 0.15], [0.15, 0.35]]),
)


@cache
def four_cycle_joint() -> NDArray[np.float64]:
    """P(X, Y, U, Z) by iterative proportional fitting; 4 × 2 × 2 × 2."""
    joint = np.full((4, 2, 2, 2), 1 / 32)
    for _ in range(200):  # converges to the last digit in fewer than 50 sweeps
        before = joint
        for axes, table in PAIR_TABLES:
            others = tuple(axis for axis in range(4) if axis not in axes)
            joint = joint * np.expand_dims(np.array(table) / joint.sum(axis=others), others)
        if np.abs(joint - before).max() < 1e-16:
            break
    joint.flags.writeable = False
    return joint


@dataclass(frozen=True, slots=True, kw_only=True)
class FourCycleParams:
    copies: int = param(
        1, title="Copies", low=1, high=60, help="Independent copies side by side, 4 columns each."
    )


def four_cycle(params: FourCycleParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows of one or more independent copies of the four-cycle."""
    joint = four_cycle_joint()
    bounds = np.cumsum(joint.ravel())
    variables: list[Variable] = []
    columns = []
    for copy in range(params.copies):
        number = "" if params.copies == 1 else str(copy + 1)
        variables.append(Variable(f"X{number}", ("x0", "x1", "x2", "x3")))
        variables += [binary(f"{letter}{number}") for letter in "YUZ"]
        cells = np.minimum(np.searchsorted(bounds, rng.random(count), side="right"), 31)
        columns += list(np.unravel_index(cells, joint.shape))
    return DataSet(Domain(tuple(variables)), np.stack(columns).astype(np.uint8))


FOUR_CYCLE = Generator(
    "four-cycle",
    "Selection four-cycle",
    "X–Y–Z–U–X: independences that no Bayesian network has exactly.",
    FourCycleParams,
    four_cycle,
)


# Noise columns, independent of each other and of everything else (Meilă 1999, §7.3.5).


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseParams:
    variables: int = param(60, title="Variables", low=1, high=2000, help="Columns of noise.")
    states: int = param(4, title="States", low=2, high=200, help="States of every column.")
    concentration: float = param(
        1.0, title="Concentration", low=0, low_open=True, help="Dirichlet of their frequencies."
    )


def noise(params: NoiseParams, rng: np.random.Generator, count: int) -> DataSet:
    """Each column has frequencies from a symmetric Dirichlet, and rows independent of all else."""
    states = tuple(str(state) for state in range(params.states))
    names = [f"noise_{number + 1}" for number in range(params.variables)]
    domain = Domain(tuple(Variable(name, states) for name in names))
    alpha = np.full(params.states, params.concentration)
    codes = np.empty((params.variables, count), dtype=code_dtype(domain))
    for column in codes:
        column[:] = rng.choice(params.states, size=count, p=rng.dirichlet(alpha))
    return DataSet(domain, codes)


def with_noise(data: DataSet, params: NoiseParams, rng: np.random.Generator) -> DataSet:
    """The same rows with columns of noise after their own."""
    more = noise(params, rng, data.row_count)
    domain = Domain((*data.domain.variables, *more.domain.variables))
    return DataSet(domain, np.concatenate([data.codes, more.codes]), data.weights)


NOISE = Generator(
    "noise",
    "Noise columns",
    "Columns with random frequencies, independent of everything.",
    NoiseParams,
    noise,
)


# Sparse rows: each turns on a few columns along a random walk (Meilă 1999, §5.7; completed by
# us).
# The first column is drawn evenly, further ones by steps of −4 … 4 around the circle of columns,
# until as many different ones are on as asked for.

LONGEST_STEP = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomWalksParams:
    variables: int = param(1000, title="Variables", low=1, high=100_000, help="Columns.")
    on: int = param(15, title="Columns on", low=0, high=1000, help="Ones in every row.")

    def __post_init__(self) -> None:
        if self.on > self.variables:
            raise ParameterError({"on": f"there are only {self.variables} columns"})


def random_walks(params: RandomWalksParams, rng: np.random.Generator, count: int) -> DataSet:
    """Rows with exactly `on` ones, near each other on the circle of columns."""
    n = params.variables
    codes = np.zeros((n, count), dtype=np.uint8)
    rows = np.arange(count if params.on else 0)
    index = rng.integers(0, n, rows.size)
    on = np.zeros(rows.size, dtype=np.int64)
    while rows.size:
        on += codes[index, rows] == 0
        codes[index, rows] = 1
        goes_on = on < params.on
        rows, index, on = rows[goes_on], index[goes_on], on[goes_on]
        index = (index + rng.integers(-LONGEST_STEP, LONGEST_STEP + 1, rows.size)) % n
    return DataSet(Domain(tuple(binary(f"X{i + 1}") for i in range(n))), codes)


RANDOM_WALKS = Generator(
    "random-walks",
    "Sparse random walks",
    "Many columns of 0 and 1, few of them on in a row and those near each other.",
    RandomWalksParams,
    random_walks,
)


# A made-up survey on living and getting about, with three hidden kinds of household.
# Everything is invented: given the kind of household the answers are independent, with the tables
# below, and each answer is missing with the same chance whatever it is (missing completely at
# random). A latent-class learner should find three classes with about these profiles.

HOUSEHOLD = "household"
KINDS = {"city": 0.45, "family": 0.35, "country": 0.20}

# Question: states, and per kind of household (in the order above) the chance of each.
QUESTIONS: dict[str, tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]] = {
    "age": (
        ("under 30", "30 to 49", "50 and over"),
        ((0.50, 0.30, 0.20), (0.10, 0.75, 0.15), (0.05, 0.25, 0.70)),
    ),
    "people": (
        ("1", "2", "3 or more"),
        ((0.55, 0.35, 0.10), (0.02, 0.13, 0.85), (0.20, 0.60, 0.20)),
    ),
    "home": (
        ("flat", "house"),
        ((0.92, 0.08), (0.40, 0.60), (0.08, 0.92)),
    ),
    "garden": (("no", "yes"), ((0.85, 0.15), (0.35, 0.65), (0.05, 0.95))),
    "car": (("none", "one", "two"), ((0.65, 0.32, 0.03), (0.08, 0.57, 0.35), (0.05, 0.45, 0.50))),
    "bicycle": (("no", "yes"), ((0.30, 0.70), (0.20, 0.80), (0.55, 0.45))),
    "to work": (
        ("on foot", "bicycle", "bus or train", "car", "no way to work"),
        (
            (0.20, 0.25, 0.40, 0.05, 0.10),
            (0.05, 0.15, 0.20, 0.50, 0.10),
            (0.02, 0.03, 0.05, 0.40, 0.50),
        ),
    ),
    "season ticket": (("no", "yes"), ((0.35, 0.65), (0.70, 0.30), (0.95, 0.05))),
    "pet": (
        ("none", "cat", "dog"),
        ((0.75, 0.20, 0.05), (0.45, 0.25, 0.30), (0.30, 0.25, 0.45)),
    ),
    "newspaper": (
        ("never", "on the screen", "on paper"),
        ((0.30, 0.65, 0.05), (0.40, 0.45, 0.15), (0.15, 0.15, 0.70)),
    ),
    "club": (("no", "yes"), ((0.70, 0.30), (0.45, 0.55), (0.30, 0.70))),
    "would move": (
        ("no", "perhaps", "yes"),
        ((0.30, 0.40, 0.30), (0.60, 0.30, 0.10), (0.90, 0.08, 0.02)),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyParams:
    missing: float = param(
        0.15, title="Missing", low=0, high=1, high_open=True, help="Chance that a cell is empty."
    )
    keep_hidden: bool = keep_hidden("kind of household")


def survey_model() -> BayesianNetwork:
    """The true model: the kind of household and, independent given it, the answers."""
    questions = [Variable(name, states) for name, (states, _) in QUESTIONS.items()]
    domain = Domain((*questions, Variable(HOUSEHOLD, tuple(KINDS))))
    hidden = len(questions)
    dag = Dag(domain.names, (*(((hidden,),) * hidden), ()))
    tables = [np.array(rows) for _, rows in QUESTIONS.values()]
    return BayesianNetwork(domain, dag, (*tables, np.array(list(KINDS.values()))))


def survey(params: SurveyParams, rng: np.random.Generator, count: int) -> DataSet:
    """Answers with cells missing completely at random."""
    data = survey_model().sample(count, rng)
    codes = data.codes.copy()
    gone = rng.random((len(QUESTIONS), count)) < params.missing
    codes[:-1][gone] = data.missing_code
    data = DataSet(data.domain, codes)
    return data if params.keep_hidden else without_columns(data, HOUSEHOLD)


SURVEY = Generator(
    "survey",
    "Survey",
    "Made-up answers of three hidden kinds of household, some cells missing.",
    SurveyParams,
    survey,
)
