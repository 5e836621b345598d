"""The Python API: ten lines from a table to an answer, and what is refused."""

from __future__ import annotations

import doctest
import importlib
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest

import pgmstudio as pgm
from pgmstudio.core.errors import FileError, ParameterError, PgmStudioError, UnknownNameError
from pgmstudio.core.learning.base import Finished

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def coronary() -> pgm.Data:
    return pgm.read_data(pgm.sample_path("coronary.csv"))


@pytest.fixture(scope="module")
def asia() -> pgm.Fitted:
    return pgm.load(pgm.sample_path("asia.json"))


@pytest.fixture(scope="module")
def tree(coronary: pgm.Data) -> pgm.Fitted:
    return pgm.learn("tree.chow-liu", coronary)


@pytest.mark.parametrize(
    "module",
    ["pgmstudio", *(f"pgmstudio.api.{m}" for m in ("data", "experiments", "learning", "models"))],
)
def test_the_examples_of_the_documentation_are_true(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_manual_page_is_true() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_every_public_name_exists_and_loading_the_package_loads_no_library() -> None:
    for name in pgm.__all__:
        assert getattr(pgm, name) is not None
    with pytest.raises(AttributeError, match=r"leran.*Did you mean learn\?"):
        _ = pgm.leran  # type: ignore[attr-defined]
    code = "import sys, pgmstudio; print(sorted({'numpy', 'polars', 'numba'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_frames_come_in_and_go_out(coronary: pgm.Data) -> None:
    for frame in (coronary.to_pandas(), coronary.to_polars()):
        back = pgm.read_data(frame)
        assert back.dataset.domain == coronary.dataset.domain
        assert np.array_equal(back.dataset.codes, coronary.dataset.codes)


def test_missing_cells_and_numbers_of_a_frame_are_read_as_from_a_file() -> None:
    frame = pandas.DataFrame(
        {"size": [*map(float, range(30)), *[float("nan")] * 10], "kind": ["a", None, "b", "b"] * 10}
    )
    assert pgm.read_data(frame[["kind"]].set_axis([3], axis=1)).columns == ("3",)
    data = pgm.read_data(frame, bins=2)
    assert data.dataset.missing_counts == (10, 10)
    assert len(data.states["size"]) == 2
    assert data.states["kind"] == ("a", "b")
    assert pgm.read_data(polars.from_dicts([{"x": "a"}, {"x": None}])).head()[1] == {"x": None}


def test_a_learned_model_is_that_of_the_command_line(
    tree: pgm.Fitted, coronary: pgm.Data, tmp_path: Path
) -> None:
    assert tree.kind == "tree"
    assert tree.log_likelihood(coronary) == pytest.approx(
        -6690.650714 / math.log(2) / 1841, abs=1e-3
    )
    assert tree.save(tmp_path / "tree.json") == ()
    again = pgm.load(tmp_path / "tree.json")
    assert again.edges == tree.edges
    assert again.provenance is not None
    assert again.provenance["learner"] == "tree.chow-liu"


def test_events_end_with_the_result(coronary: pgm.Data) -> None:
    events = list(pgm.iter_learn("tree.chow-liu", coronary))
    assert isinstance(events[-1], Finished)
    assert pgm.Fitted(events[-1].model).edges


def test_evidence_of_every_kind(asia: pgm.Fitted) -> None:
    prior = asia.query("lung")["lung"]["yes"]
    observed = asia.query("lung", given={"smoke": "yes"})
    assert observed["lung"]["yes"] == pytest.approx(0.1)
    assert observed.probability_of_evidence == pytest.approx(0.5)
    assert asia.query("lung", not_={"smoke": "no"})["lung"] == pytest.approx(observed["lung"])
    soft = asia.query("lung", soft={"smoke": {"yes": 1.0, "no": 0.0}})
    assert soft["lung"] == pytest.approx(observed["lung"])
    # Setting an effect says nothing about its cause; seeing it does.
    assert asia.query("lung", do={"xray": "yes"})["lung"]["yes"] == pytest.approx(prior)
    assert asia.query("lung", given={"xray": "yes"})["lung"]["yes"] > prior
    assert set(asia.query()) == set(asia.variables)


def test_explanations(asia: pgm.Fitted) -> None:
    mpe = asia.mpe(given={"xray": "yes"})
    assert mpe["xray"] == "yes"
    assert set(mpe) == set(asia.variables)
    (first, second) = asia.map("lung", "bronc", given={"xray": "yes"}, best=2)
    assert first.is_exact
    assert first.probability >= second.probability
    assert mpe.probability <= first.probability


def test_rows_are_drawn_and_predicted(asia: pgm.Fitted) -> None:
    rows = asia.sample(300, seed=3)
    assert rows.dataset.fingerprint == asia.sample(300, seed=3).dataset.fingerprint
    probabilities = asia.predict_proba(rows, "lung")
    assert probabilities.shape == (300, 2)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert set(asia.predict(rows.to_pandas().drop(columns="lung"), "lung")) <= {"yes", "no"}
    smokers = asia.sample(20, given={"smoke": "yes"})
    assert set(smokers.to_polars()["smoke"]) == {"yes"}


def test_models_are_compared_and_curves_drawn(tree: pgm.Fitted, coronary: pgm.Data) -> None:
    chain = pgm.learn("bn.hill-climb", coronary, max_parents=1)
    table = pgm.compare({"tree": tree, "climbed": chain}, coronary)
    assert {row["model"] for row in table} == {"tree", "climbed"}
    assert table[0]["verdict"] == "best"
    one = pgm.compare({"tree": pgm.learn("tree.chow-liu", coronary)}, coronary, scores=True)[0]
    extra = (one["effective_size"] - one["parameters"]) * math.log2(len(coronary)) / 2
    assert one["bic"] - one["bic_effective"] == pytest.approx(extra)
    curve = pgm.sl_curve(["tree.chow-liu"], coronary, lambdas=[0.01, 0.1])
    assert curve._repr_svg_().count("<svg") == 1
    assert curve.best.kind == "tree"
    assert "test_bits" in repr(curve)
    assert "classes as printed" in curve.plot(size="size_as_printed").svg
    with pytest.raises(pgm.PgmStudioError, match="not one of effective_size"):
        curve.plot(size="cells")  # type: ignore[arg-type]


def test_models_without_probabilities_are_compared_by_what_they_add(sample_data: Path) -> None:
    objects = pgm.read_data(sample_data / "geometric_objects.arff")
    tree = pgm.learn("relational.spanning-tree", objects)
    nine = pgm.learn("relational.exhaustive", sample_data / "geometric_objects_9.arff")
    table = pgm.compare({"tree": tree, "nine": nine}, objects)
    assert [row["impossible_tuples"] for row in table] == [0, 1]
    assert [row["verdict"] for row in table] == ["best", ""]


def test_possibility_is_not_scaled_and_comes_with_necessity(sample_data: Path) -> None:
    rows = pgm.read_data(sample_data / "geometric_objects.arff")
    network = pgm.learn("possibilistic.spanning-tree", rows)
    answer = network.query("shape", given={"color": "red"})
    largest = max(answer["shape"].values())
    assert largest == pytest.approx(answer.probability_of_evidence)
    assert largest < 1
    assert answer.necessity is not None
    for state, necessity in answer.necessity["shape"].items():
        others = max(value for name, value in answer["shape"].items() if name != state)
        assert necessity == pytest.approx(max(0.0, answer["shape"][state] - others))
    assert answer.table.columns == ("variable", "state", "value", "necessity")
    assert "Π" in repr(answer)


def test_learners_are_compared_by_cross_validation(coronary: pgm.Data) -> None:
    asked = {"tree.chow-liu": {"smoothing": 1}, "bn.hill-climb": {"max_parents": 0}}
    table = pgm.cross_validate(asked, coronary, folds=2, jobs=1)
    assert [(row["learner"], row["verdict"]) for row in table] == [
        ("tree.chow-liu", "best"),
        ("bn.hill-climb", "worse"),
    ]
    assert table[1]["parameters"] == 6
    with pytest.raises(UnknownNameError, match=r"tree\.chow-liu"):
        pgm.cross_validate(["tree.chow-lu"], coronary)
    with pytest.raises(ParameterError, match="folds"):
        pgm.cross_validate(["tree.chow-liu"], coronary, folds=1)


def test_a_bootstrap_counts_edges(coronary: pgm.Data) -> None:
    result = pgm.bootstrap("tree.chow-liu", coronary, replicates=3, jobs=1)
    assert len(result.table) >= 5
    assert result.averaged().edges


def test_results_show_themselves(asia: pgm.Fitted, coronary: pgm.Data) -> None:
    assert "<td>" in coronary._repr_html_()
    assert repr(coronary).startswith("1,841 rows, 6 columns")
    answer = asia.query("lung", given={"smoke": "yes"})
    assert "0.1000" in repr(answer)
    assert "lung" in answer._repr_html_()
    assert answer.to_pandas().shape == (2, 3)
    assert "<td>lung</td>" in asia.mpe()._repr_html_()
    assert asia.draw(given={"smoke": "yes"}).svg.count("<svg") == 1
    assert asia._repr_svg_().count("<svg") == 1


def numbers() -> object:
    return polars.DataFrame({"x": [0.5 * row for row in range(30)]})


def twice(*names: object) -> object:
    """A frame of pandas with two columns."""
    return pandas.DataFrame([[1, 2], [2, 1]], columns=list(names))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda asia, data: asia.query("lungs"), "Did you mean lung"),
        (lambda asia, data: asia.query("lung", given={"smoke": "yess"}), "Did you mean yes"),
        (lambda asia, data: pgm.learn("bn.hillclimb", data), "Did you mean bn.hill-climb"),
        (lambda asia, data: pgm.read_data(data.to_polars(), bin=3), "Did you mean bins"),
        (lambda asia, data: pgm.learn("hc", data, bins=3), r"read_data\(…, bins=…\)"),
        (lambda asia, data: pgm.read_data({"x": range(30)}), "not a value of type dict"),
        (lambda asia, data: pgm.read_data(numbers()), r"Options of read_data: bins=N"),
        (lambda asia, data: pgm.read_data(twice("a", "a")), "Several columns are called a"),
        (lambda asia, data: pgm.read_data(twice("1", 1)), "Several columns are called 1"),
        (lambda asia, data: pgm.load("nowhere.json"), "nowhere.json"),
        (lambda asia, data: pgm.sample_path("asai.json"), "Did you mean asia.json"),
        (lambda asia, data: asia.convert("markov-netwrok"), "Did you mean markov-network"),
        (lambda asia, data: asia.draw("clique-tre"), "Did you mean clique-tree"),
        (lambda asia, data: asia.log_likelihood(data), "no column of the model"),
        (lambda asia, data: asia.log_likelihood(data.to_polars()), "no column of the model"),
        (lambda asia, data: pgm.compare({"asia": asia}, data), "no column of the model"),
        (lambda asia, data: pgm.read_data(3), "not a value of type int"),
        (lambda asia, data: pgm.learn("tree.chow-liu", data, seed=-1), "seed: must be"),
        (lambda asia, data: asia.sample(0), "rows: must be at least 1"),
        (lambda asia, data: asia.sample(3, missing_rate=1.5), "missing_rate"),
        (lambda asia, data: asia.map("lung", best=0), "best: must be at least 1"),
        (lambda asia, data: pgm.bootstrap("tree.chow-liu", data, replicates=0), "replicates"),
        (lambda asia, data: asia.query(["lung", "tubb"]), "Did you mean tub"),
        (lambda asia, data: asia.query("lung", 3), "not by 3"),
        (lambda asia, data: asia.query("lung", given=["smoke"]), "given: .* is not a dict such as"),
        (lambda asia, data: asia.query(soft={"smoke": 2}), "smoke: 2 is not a dict such as"),
        (lambda asia, data: asia.predict_proba(data, 5), "No variable is called “5”"),
        (lambda asia, data: asia.sample("5"), "rows: '5' is not a whole number"),
        (lambda asia, data: pgm.learn(5, data), "learner: 5 is not a key"),
        (lambda asia, data: pgm.learn("hc", data, seed=1.5), "seed: 1.5 is not a whole number"),
        (lambda asia, data: pgm.learn("hc", data, time_limit=0), "time_limit: must be more than"),
        (lambda asia, data: pgm.compare({"a": "asia.json"}, data), "models, a: is not a model"),
        (lambda asia, data: pgm.average([asia, "asia.json"]), "models, 2: is not a model"),
        (lambda asia, data: asia.query(soft={"example": {"yes": 2}}), "is called “example”"),
        (lambda asia, data: asia.query(soft={"example": 2}), "example: 2 is not a dict such as"),
        (lambda asia, data: asia.query(soft={5: 2}), "5: 2 is not a dict such as"),
        (
            lambda asia, data: pgm.from_networkx(asia.to_networkx(), {"lng": [1]}),
            "Did you mean lung",
        ),
    ],
)
def test_wrong_names_are_refused_with_what_was_meant(
    call: object, words: str, asia: pgm.Fitted, coronary: pgm.Data
) -> None:
    with pytest.raises(PgmStudioError, match=words):
        call(asia, coronary)  # type: ignore[operator]


def test_variables_are_named_one_by_one_or_as_a_list(asia: pgm.Fitted) -> None:
    assert asia.query(["lung", "tub"]) == asia.query("lung", "tub")
    (together,) = asia.map(["lung", "bronc"], given={"smoke": "yes"})
    assert set(together) >= {"lung", "bronc"}


def test_estimates_have_errors(asia: pgm.Fitted) -> None:
    answer = asia.estimate("lung", given={"xray": "yes"}, error=0.02)
    assert answer.errors is not None
    error = answer.errors["lung"]["yes"]
    assert 0 <= error <= 0.02
    exact = asia.query("lung", given={"xray": "yes"})["lung"]["yes"]
    assert answer["lung"]["yes"] == pytest.approx(exact, abs=3 * error + 1e-9)
    assert "±" in repr(answer)
    assert answer.table.columns[-1] == "error"


def test_wrong_parameters_are_all_named(coronary: pgm.Data) -> None:
    with pytest.raises(ParameterError) as caught:
        pgm.learn("bn.hill-climb", coronary, max_parentz=2, score="bick")
    assert "max_parentz: " in str(caught.value)
    assert "Did you mean max_parents?" in str(caught.value)
    assert "Did you mean bic?" in str(caught.value)
    assert issubclass(UnknownNameError, LookupError)


def test_a_model_is_written_as_an_interactive_page(asia: pgm.Fitted, tmp_path: Path) -> None:
    target = tmp_path / "clinic.html"
    asia.export_page(
        target, title="Clinic", notes="Who smokes?", scenarios={"Smoker": {"smoke": "yes"}}
    )
    text = target.read_text(encoding="utf-8")
    assert "<h1>Clinic</h1>" in text
    assert "Who smokes?" in text
    assert '"name":"Smoker"' in text
    with pytest.raises(UnknownNameError, match="smoke"):
        asia.export_page(target, scenarios={"Smoker": {"smok": "yes"}})


def test_networks_go_to_other_libraries_and_back(asia: pgm.Fitted) -> None:
    graph = asia.to_networkx()
    assert set(graph.edges) == set(asia.edges)
    tables = {name: asia.model.table(name) for name in asia.variables}  # type: ignore[attr-defined]
    assert pgm.from_networkx(graph, tables).query("lung")["lung"] == pytest.approx(
        asia.query("lung")["lung"]
    )
    pyagrum = pytest.importorskip("pyagrum")
    network = asia.to_pyagrum()
    engine = pyagrum.LazyPropagation(network)
    engine.setEvidence({"smoke": "yes", "xray": "yes"})
    engine.makeInference()
    expected = asia.query("lung", given={"smoke": "yes", "xray": "yes"})["lung"]
    assert list(engine.posterior("lung")[:]) == pytest.approx(list(expected.values()))
    back = pgm.from_pyagrum(network)
    assert back.query(given={"dysp": "yes"})["asia"] == pytest.approx(
        asia.query(given={"dysp": "yes"})["asia"]
    )


def test_networks_go_to_pgmpy_and_back(asia: pgm.Fitted) -> None:
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination

    network = asia.to_pgmpy()
    assert network.check_model()
    evidence = {"smoke": "yes", "xray": "yes"}
    answer = VariableElimination(network).query(["lung"], evidence, show_progress=False)
    expected = asia.query("lung", given=evidence)["lung"]
    assert list(answer.values) == pytest.approx(list(expected.values()))
    back = pgm.from_pgmpy(network)
    assert back.query("asia", given={"dysp": "yes"})["asia"] == pytest.approx(
        asia.query("asia", given={"dysp": "yes"})["asia"]
    )


def test_presets_are_settings_that_other_arguments_replace(coronary: pgm.Data) -> None:
    few = coronary.dataset.take_rows(slice(0, 200))
    model = pgm.learn("bn.kes", pgm.Data(few), preset="thesis", restarts=2, smoothing=1.0)
    assert model.measures["runs"] == 22
    assert model.provenance is not None
    parameters = model.provenance["parameters"]
    assert parameters["neighbourhood"] == "sampled"
    assert parameters["draws"] == "printed"
    assert parameters["restarts"] == 2
    alias, preset = (
        pgm.learn(key, pgm.Data(few), smoothing=1.0, **given)
        for key, given in (("ges", {}), ("bn.kes", {"preset": "ges"}))
    )
    assert alias.edges == preset.edges
    assert alias.measures["runs"] == preset.measures["runs"] == 1
    with pytest.raises(UnknownNameError, match="Did you mean thesis"):
        pgm.learn("bn.kes", coronary, preset="theses")
    with pytest.raises(ParameterError, match="has none"):
        pgm.learn("tree.chow-liu", coronary, preset="thesis")


def test_the_consensus_of_a_class_is_its_most_probable_states(asia: pgm.Fitted) -> None:
    lines = {(row["class"], row["variable"]): row for row in asia.consensus("bronc")}
    assert lines["no", "dysp"]["consensus"] == "no"
    belief = asia.query("dysp", given={"bronc": "no"})["dysp"]["no"]
    assert lines["no", "dysp"]["probability"] == pytest.approx(belief)


def test_a_script_without_a_main_guard_may_use_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        """
import pgmstudio as pgm
print("started")
rows = pgm.read_data(pgm.sample_path("coronary.csv"))
rows.to_polars().write_parquet("rows.parquet")  # is read in a process of its own
rows = pgm.read_data("rows.parquet")
print(pgm.cross_validate("tree.chow-liu", rows, folds=2, jobs=2)["verdict"])
"""
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines() == ["started", "('best',)"], done.stderr


def test_names_of_parameters_are_those_of_the_keyword_arguments() -> None:
    rows = pgm.sample_path("coronary.csv")
    with pytest.raises(ParameterError, match=r"^max_parents: must be at least 0$"):
        pgm.learn("bn.hill-climb", rows, max_parents=-1)
    with pytest.raises(ParameterError, match="a value of type Data is not a key"):
        pgm.learn(pgm.read_data(rows), "bn.kes")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"target: is an option of read_data.*are class_, "):
        pgm.learn("bn.tan", rows, target="pressure")
    with pytest.raises(ParameterError, match="bins: 'three' is not a whole number"):
        pgm.read_data(rows, bins="three")


def test_a_drawing_is_written_as_its_ending_says(tmp_path: Path) -> None:
    drawing = pgm.load(pgm.sample_path("asia.json")).draw()
    drawing.save(tmp_path / "asia.svg")
    drawing.save(tmp_path / "asia.png")
    assert (tmp_path / "asia.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "asia.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileError, match=r"must end in \.svg, \.png, \.pdf"):
        drawing.save(tmp_path / "asia.txt")
