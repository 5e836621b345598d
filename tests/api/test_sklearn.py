"""The estimators of scikit-learn: its own checks, and what tables of states need besides."""

from __future__ import annotations

import doctest
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

import pgmstudio as pgm
from pgmstudio.core.params import specs_of

SKLEARN: Any = pgm.sklearn
learner_of = SKLEARN.learner_of


@pytest.fixture(scope="module")
def rows() -> Any:
    return pgm.read_data(pgm.sample_path("coronary.csv")).to_pandas()


@parametrize_with_checks(
    [SKLEARN.ChowLiu(), SKLEARN.Classifier(), SKLEARN.Classifier(SKLEARN.ChowLiu())]
)
@pytest.mark.filterwarnings("ignore")
def test_estimators_pass_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(("name", "key"), SKLEARN.estimator_keys().items())
def test_every_learner_of_probability_models_is_an_estimator(name: str, key: str) -> None:
    made = getattr(SKLEARN, name)()
    params = made.get_params()
    specs = specs_of(learner_of(key).params_type)
    assert len(params) == len(specs) + 4  # no name stands for two parameters
    assert params["bins"] == 5
    assert repr(clone(made)) == f"{name}()"
    assert type(made) is SKLEARN.estimator_type(key)
    assert type(pickle.loads(pickle.dumps(made))) is type(made)


def test_names_of_estimators_differ() -> None:
    keys = [key for key in SKLEARN.all_learners() if key in SKLEARN.estimator_keys().values()]
    assert len(keys) == len({SKLEARN.class_name(key) for key in keys})
    assert "bn.kes" in keys
    assert "possibilistic.exhaustive" not in keys
    with pytest.raises(pgm.PgmStudioError, match="log-likelihood"):
        SKLEARN.estimator_type("possibilistic.exhaustive")


def test_columns_of_a_frame_have_to_keep_their_names() -> None:
    check_dataframe_column_names_consistency("KES", SKLEARN.KES())
    check_dataframe_column_names_consistency("Classifier", SKLEARN.Classifier())


def test_an_estimator_learns_the_model_of_the_same_learner(rows: Any) -> None:
    fitted = SKLEARN.KES(restarts=2, random_state=3).fit(rows)
    other = pgm.learn("bn.kes", rows, seed=3, restarts=2)
    assert fitted.model_.edges == other.edges
    assert fitted.score(rows) == pytest.approx(other.log_likelihood(rows))
    by_bic = SKLEARN.HillClimb(criterion="bic", max_parents=1).fit(rows)
    assert by_bic.model_.edges == pgm.learn("bn.hill-climb", rows, score="bic", max_parents=1).edges


def test_drawn_rows_can_be_scored_again() -> None:
    values = load_iris().data
    fitted = SKLEARN.ChowLiu(bins=3).fit(values)
    drawn = fitted.sample(200, random_state=1)
    assert drawn.dtype == float
    assert drawn.shape == (200, 4)
    assert set(drawn[:, 0]) <= set(values[:, 0]) | {np.median(values[:, 0])}
    assert fitted.score(drawn) == pytest.approx(fitted.score(values), abs=0.5)
    texts = SKLEARN.ChowLiu().fit([["a", 1], ["b", 2], [None, 2]]).sample(5)
    assert set(texts[:, 0]) <= {"a", "b"}
    assert set(texts[:, 1]) <= {1.0, 2.0}


def test_an_empty_column_stays_in_the_drawn_rows() -> None:
    fitted = SKLEARN.ChowLiu().fit([[np.nan, 0.0], [np.nan, 1.0]])
    assert np.isnan(fitted.sample(3)[:, 0]).all()


def test_states_that_were_not_seen_are_refused_by_a_density_and_missing_to_a_classifier() -> None:
    train = pandas.DataFrame({"colour": ["red", "blue"] * 20, "size": [1, 2] * 20})
    labels = ["small", "large"] * 20
    new = pandas.DataFrame({"colour": ["green", "red"], "size": [2.0, 1.0]})
    with pytest.raises(ValueError, match="green"):
        SKLEARN.ChowLiu().fit(train).score(new)
    classifier = SKLEARN.Classifier().fit(train, labels)
    missing = new.assign(colour=[None, "red"])
    assert classifier.predict_proba(new) == pytest.approx(classifier.predict_proba(missing))
    assert classifier.predict(new).tolist() == ["large", "small"]


def test_categories_of_a_frame_are_states_even_where_no_row_has_them() -> None:
    column = pandas.Categorical(["a", "b"] * 5, categories=["c", "a", "b"])
    fitted = SKLEARN.ChowLiu(smoothing=1).fit(pandas.DataFrame({"x": column}))
    assert fitted.model_.variables["x"] == ("c", "a", "b")
    assert fitted.score(pandas.DataFrame({"x": ["c"]})) < 0


def test_a_classifier_states_what_it_needs() -> None:
    X, y = pandas.DataFrame({"colour": ["red", "blue"] * 4}), ["small", "large"] * 4
    with pytest.raises(TypeError, match=r"such as Classifier\(NaiveBayes\(\)\), not 'bn.tan'"):
        SKLEARN.Classifier("bn.tan").fit(X, y)
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match="leave out the rows without a class"):
            SKLEARN.Classifier().fit(X, pandas.Series([missing, *y[1:]], dtype=object))


def test_a_classifier_is_good_on_iris_whatever_learns_its_model() -> None:
    data = load_iris(as_frame=True)
    for learner in (SKLEARN.TAN(), SKLEARN.NaiveBayes(binning="mdl"), SKLEARN.HillClimb()):
        scores = cross_val_score(SKLEARN.Classifier(learner), data.data, data.target, cv=3)
        assert scores.mean() > 0.88


def test_weights_of_a_data_set_are_those_of_its_rows(rows: Any) -> None:
    counted = rows.value_counts().reset_index(name="n")
    data = pgm.read_data(counted, frequency="n")
    weighted, plain = SKLEARN.ChowLiu().fit(data), SKLEARN.ChowLiu().fit(rows)
    assert weighted.model_.log_likelihood(rows) == pytest.approx(plain.model_.log_likelihood(rows))
    distinct = counted.drop(columns="n")
    assert plain.score(distinct, sample_weight=counted["n"]) == pytest.approx(plain.score(rows))
    assert weighted.score(data) == pytest.approx(plain.score(rows))


def test_wrong_names_and_values_are_refused_with_what_was_meant() -> None:
    with pytest.raises(AttributeError, match="Did you mean KES"):
        _ = SKLEARN.KESS
    with pytest.raises(TypeError, match="Did you mean restarts"):
        SKLEARN.KES(restart=3)
    with pytest.raises(ValueError, match="Did you mean bic"):
        SKLEARN.KES(criterion="bick").fit(np.eye(3))
    with pytest.raises(ValueError, match="Invalid parameter 'restart'"):
        SKLEARN.KES().set_params(restart=3)


def test_the_manual_page_and_the_module_are_true() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "scikit-learn.md"
    for result in (doctest.testmod(SKLEARN), doctest.testfile(str(page), module_relative=False)):
        assert result.attempted > 5
        assert result.failed == 0
