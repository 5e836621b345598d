"""A parameter is declared once; form, command line and file read the same spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.params import ParamKind, param, params_to_dict, parse_params, specs_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    restarts: int = param(3, title="Restarts", low=0, high=100, help="How often.")
    lambda_: float = param(0.5, title="λ", low=0, low_open=True, high=1, help="Penalty.")
    score: str = param("bic", title="Score", choices=("bic", "aic"), help="What to make large.")
    limit: int | None = param(None, title="Limit", low=1, none_label="no limit", help="Safety.")
    smoothing: float | Literal["auto"] = param("auto", title="Smoothing", low=0, help="Counts.")
    greediness: tuple[float, ...] = param((0.0, 1.0), title="k", low=0, high=1, help="Shares.")
    verbose: bool = param(False, title="Verbose", help="Say more.")
    root: str | None = param(None, title="Root", help="Where to start.")
    knowledge: Knowledge | None = param(None, title="Knowledge", help="Rules.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    seed: int = param(0, title="Seed", low=0, help="Random numbers.")


def test_the_kind_comes_from_the_annotation() -> None:
    kinds = {spec.name: spec.kind for spec in specs_of(Sample)}
    assert kinds == {
        "restarts": ParamKind.WHOLE,
        "lambda_": ParamKind.NUMBER,
        "score": ParamKind.CHOICE,
        "limit": ParamKind.WHOLE,
        "smoothing": ParamKind.NUMBER,
        "greediness": ParamKind.NUMBERS,
        "verbose": ParamKind.YES_NO,
        "root": ParamKind.TEXT,
        "knowledge": ParamKind.OBJECT,
    }


def test_option_names_have_dashes_and_no_trailing_underscore() -> None:
    assert [spec.option for spec in specs_of(Sample)][:2] == ["restarts", "lambda"]


def test_texts_are_read_as_the_kind_says() -> None:
    given_texts = {
        "restarts": "7",
        "lambda": "0.25",
        "score": "aic",
        "limit": "no limit",
        "smoothing": "auto",
        "greediness": "0,0.5,1",
        "verbose": "yes",
        "root": "smoke",
    }
    assert parse_params(Sample, given_texts) == Sample(
        restarts=7,
        lambda_=0.25,
        score="aic",
        smoothing="auto",
        greediness=(0.0, 0.5, 1.0),
        verbose=True,
        root="smoke",
    )


def test_every_problem_is_named_at_once() -> None:
    wrong = {
        "restarts": "many",
        "lambda": "0",
        "score": "mdl",
        "limit": "0",
        "smoothing": "-1",
        "greediness": "0,2",
        "verbose": "perhaps",
        "colour": "red",
    }
    with pytest.raises(ParameterError) as raised:
        parse_params(Sample, wrong)
    assert set(raised.value.problems) == set(wrong)
    assert "must be more than 0" in raised.value.problems["lambda"]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", True, "1.5"])
def test_whole_numbers_are_finite_and_whole(value: object) -> None:
    with pytest.raises(ParameterError):
        parse_params(Sample, {"restarts": value})


@pytest.mark.parametrize(
    "value", [[1], {"a": 1}, None, object(), True, 10**400, "1" * 5000, 1e30], ids=type
)
def test_a_value_of_another_type_is_refused_in_a_short_sentence(value: object) -> None:
    for name in ("restarts", "lambda_", "score", "greediness"):
        with pytest.raises(ParameterError) as raised:
            parse_params(Sample, {name: [value] if name == "greediness" else value})
        assert len(str(raised.value)) < 150
    for name in ("root", "knowledge", "verbose"):
        if not (value is None or isinstance(value, bool | int | float | str)):
            with pytest.raises(ParameterError):
                parse_params(Sample, {name: value})


def test_objects_are_of_the_declared_type() -> None:
    for wrong in (5, "rules.json", [Knowledge()]):
        with pytest.raises(ParameterError, match="needs an object"):
            parse_params(Sample, {"knowledge": wrong})
    assert parse_params(Sample, {"knowledge": Knowledge()}).knowledge == Knowledge()


def test_whole_numbers_keep_every_digit() -> None:
    assert parse_params(Seeded, {"seed": 2**60 + 1}).seed == 2**60 + 1


@given(
    st.builds(
        Sample,
        restarts=st.integers(0, 100),
        lambda_=st.floats(0, 1, exclude_min=True),
        score=st.sampled_from(["bic", "aic"]),
        limit=st.none() | st.integers(1, 9),
        smoothing=st.just("auto") | st.floats(0, 10),
        greediness=st.lists(st.floats(0, 1), min_size=1).map(tuple),
        verbose=st.booleans(),
    )
)
def test_values_survive_the_way_through_a_file(params: Sample) -> None:
    assert parse_params(Sample, params_to_dict(params)) == params
