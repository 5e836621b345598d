"""Small questions stay light: no compiler is loaded for them, and warming up changes no answer."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.sessions import warm_up
from tests.strategies import random_network

SMALL_QUESTION = """
import sys
import numpy as np
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.sessions import ask, open_session
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
domain = Domain.of({"a": "xy", "b": "uv"})
network = BayesianNetwork.uniform(domain, Dag.from_edges("ab", [("a", "b")]))
session = open_session(network)
session.set_evidence("a", Observed("x"))
session.belief("b"), session.most_probable(), session.log2_evidence()
ask(network, ["b"], {"a": Observed("y")})
print([name for name in ("numba", "scipy", "networkx", "polars") if name in sys.modules])
"""


def test_a_small_question_loads_no_compiler() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SMALL_QUESTION], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_kernels_load_without_the_linear_algebra_of_scipy() -> None:
    kernels = (
        "import sys, pgmstudio.core.data.counting_kernels; print('scipy.linalg' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", kernels], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_warming_up_changes_no_answer() -> None:
    network = random_network(np.random.default_rng(6), 8)
    session = JunctionTreeSession(network)
    session.set_evidence("X1", Observed("s0"))
    before = session.belief("X5").values
    warm_up()
    session.retract_all()
    session.set_evidence("X1", Observed("s0"))
    assert np.array_equal(session.belief("X5").values, before)
