"""Errors for people survive the way out of a child process and say what to do."""

from __future__ import annotations

import pickle

import pytest

from pgmstudio.core import errors
from pgmstudio.core.errors import (
    CellProblem,
    CycleError,
    DataError,
    DataFileError,
    ImpossibleEvidenceError,
    KnowledgeError,
    ModelFileError,
    ParameterError,
    PgmStudioError,
    ProjectFileError,
    RunFailedError,
    TooLargeError,
    UnknownNameError,
)

SAMPLES = [
    DataFileError("a.csv", "It has no rows.", [CellProblem("is empty", row=3, column="age")]),
    ModelFileError("a.bif", "a row sums to 0.9", line=14, column=2),
    ProjectFileError("a.pgmz", "it is cut off"),
    DataError("There are no rows."),
    ParameterError({"restarts": "must be at least 0"}),
    CycleError("smoker", "asia", ("asia", "tub", "smoker")),
    KnowledgeError(["a → b is required, but: a → b is forbidden."]),
    UnknownNameError("variable", "smoe", ["smoker", "asia"]),
    ImpossibleEvidenceError({"either": "= no", "lung": "= yes"}),
    TooLargeError("It would need 90 GB."),
    RunFailedError("It ended."),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_on_both_sides_of_a_pipe(error: PgmStudioError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_every_kind_of_error_is_in_the_tree_on_top_of_its_file() -> None:
    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, Exception)]
    missing = [kind.__name__ for kind in kinds if kind.__name__ not in (errors.__doc__ or "")]
    assert not set(missing) - {"Cancelled"}


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert str(SAMPLES[7]) == "No variable is called “smoe”. Did you mean smoker?"


def test_a_part_of_a_name_suggests_the_shortest_that_has_it() -> None:
    error = UnknownNameError("learner", "Hill", ["bn.k2", "bn.hill-climb", "bn.hill-climb-tabu"])
    assert str(error) == "No learner is called “Hill”. Did you mean bn.hill-climb?"
    error = UnknownNameError("learner", "xyz", ["bn.k99"] * 13)
    assert str(error) == "No learner is called “xyz”."


def test_a_refused_edge_names_the_cycle() -> None:
    assert str(SAMPLES[5]) == "smoker → asia would close a cycle: asia → tub → smoker."


def test_a_data_file_error_lists_its_problems_with_their_place() -> None:
    assert str(SAMPLES[0]) == "a.csv: It has no rows. row 3, column 'age': is empty"
