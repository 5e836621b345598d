"""What people type and what they get."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_learner
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.learning.base import ImprovedModel
from pgmstudio.version import __version__

Call = Callable[..., Any]


def test_help_names_every_command(call: Call) -> None:
    shown = call("--help")
    assert shown.code == 0
    for command in COMMANDS.values():
        assert f"pgmstudio {command.name}" in shown.out
    assert call("--version").out == f"PGM Studio {__version__}\n"


def test_without_a_window_a_message_leads_to_the_command_line(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = call()
    assert done.code == 2
    assert "pgmstudio --help" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(call: Call, command: str) -> None:
    shown = call(command, "--help")
    assert shown.code == 0
    assert f"usage: pgmstudio {command}" in shown.out
    assert call("help", command).out == shown.out


def test_help_of_a_learner_lists_its_parameters_with_bounds_and_default(call: Call) -> None:
    shown = call("learn", "bn.hill-climb", "--help").out
    output = " ".join(shown.split())
    assert "--max-parents" in output
    assert "at least 0" in output
    assert "default bic" in output


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["lern"], "Did you mean learn?"),
        (["--hlp"], "Did you mean --help?"),
        (["learn", "bn.hil-climb", "x.csv"], "Did you mean bn.hill-climb?"),
        (["learn"], "Missing: KEY, DATA"),
        (["learn", "tree.chow-liu"], "Missing: DATA"),
        (["learn", "tree.chow-liu", "{rows}", "--sed", "3"], "Did you mean --seed?"),
        (["learn", "tree.chow-liu", "{rows}", "--seed", "x"], "'x' is not a whole number"),
        (["learn", "tree.chow-liu", "{rows}", "--edge-penalty", "-1"], "must be at least 0"),
        (["learn", "tree.chow-liu", "absent.csv"], "absent.csv"),
        (["learn", "tree.chow-liu", "{rows}", "-o", "model.docx"], ".json"),
        (["learn", "tree.chow-liu", "{rows}", "-o", "{tmp}/no/model.json"], "no folder"),
        (["learn", "tree.chow-liu", "{rows}", "--frequency", "smok"], "smok"),
        (["query", "{asia}", "--given", "smok=yes"], "Did you mean smoke?"),
        (["query", "{asia}", "--given", "smoke=yess"], "Did you mean yes?"),
        (["query", "{asia}", "--given", "either=no", "lung=yes"], "cannot hold together"),
        (["query", "{asia}", "--of", "lungs"], "Did you mean lung?"),
        (["query", "absent.json"], "absent.json"),
        (["generate", "parit", "-n", "5", "-o", "x.csv"], "Did you mean parity?"),
        (["generate", "parity", "-n", "5"], "Missing: -o"),
        (
            ["generate", "parity", "-n", "5", "-o", "x.csv", "--model", "x.json"],
            "not drawn from a model",
        ),
        (["generate", "parity", "-n", "-5", "-o", "x.csv"], "must be at least 0"),
        (["draw", "{asia}", "x.docx"], ".svg"),
        (["draw", "{asia}"], "Missing: OUT"),
        (["draw", "{asia}", "x.svg", "-o", "y.svg"], "Choose one"),
        (["sample", "{asia}", "-n", "3", "-o", "-", "--json"], "standard output"),
        (["sweep", "plan.toml", "-o", "-"], "a folder"),
        (["draw", "{asia}", "{tmp}/x.svg", "--picture", "clique"], "Did you mean clique-tree?"),
        (["convert", "{asia}", "x.docx"], ".docx"),
        (["curve", "{rows}", "--learners", "tree.chow"], "Did you mean tree.chow-liu?"),
        (["curve", "{rows}", "--learners", "tree.chow-liu", "--lambdas", "2"], "between 0 and 1"),
        (["evaluate", "{asia}", "{rows}", "extra"], "Unexpected: extra"),
        (["absent.pgmz"], "There is no file absent.pgmz"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path, argv: list[str], sentence: str
) -> None:
    done = call(*(word.format(asia=asia, rows=asia_rows, tmp=tmp_path) for word in argv))
    assert done.code == 2
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_all_wrong_parameters_are_named_at_once(call: Call, asia_rows: Path) -> None:
    done = call("learn", "bn.hill-climb", asia_rows, "--max-parents", "-2", "--score", "bix")
    assert done.code == 2
    assert "--max-parents: must be at least 0" in done.err
    assert "--score: 'bix' is not one of bic" in done.err


def test_the_same_seed_gives_the_same_model(call: Call, asia_rows: Path, tmp_path: Path) -> None:
    reports = []
    for name in ("one.json", "two.json"):
        argv = ["--restarts", "2", "--seed", "5", "-o", tmp_path / name]
        assert call("learn", "bn.hill-climb", asia_rows, *argv, "--quiet").code == 0
        reports.append(call("evaluate", tmp_path / name, asia_rows, "--json").out)
    assert reports[0] == reports[1]


def test_a_learned_model_carries_how_it_was_learned(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    from pgmstudio.core.io.models.files import read_model

    target = tmp_path / "tree.json"
    call("learn", "tree.chow-liu", asia_rows, "--smoothing", "2", "--seed", "3", "-o", target)
    output = read_model(target).provenance
    assert output is not None
    assert output["learner"] == "tree.chow-liu"
    assert output["seed"] == 3
    assert output["parameters"]["smoothing"] == 2
    assert output["data"]["rows"] == 5000
    assert len(output["data"]["fingerprint"]) == 16
    assert "tree.chow-liu, seed 3" in call("describe", target).out


def test_learning_reports_how_missing_cells_are_treated_and_how_it_ended(
    call: Call, sample_data: Path
) -> None:
    done = call("learn", "tree.chow-liu", sample_data / "survey.csv", "--smoothing", "1")
    assert done.code == 0
    assert "cells are missing" in done.err.splitlines()[0]
    assert done.err.splitlines()[-1].startswith("Finished after")
    assert "bits per row" in done.out


def test_quiet_leaves_standard_error_empty(call: Call, sample_data: Path) -> None:
    done = call("learn", "tree.chow-liu", sample_data / "survey.csv", "--quiet")
    assert done.code == 0
    assert done.err == ""


def test_knowledge_is_obeyed_and_checked_afterwards(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text("from,to,rule\nasia,smoke,required\nsmoke,lung,forbidden\n")
    target = tmp_path / "model.json"
    argv = ["--knowledge", rules, "--smoothing", "1", "-o", target]
    done = call("learn", "bn.hill-climb", asia_rows, *argv)
    assert done.code == 0
    assert "All 2 rules about edges hold." in done.err
    edges = call("describe", target, "--json").json["edges"]
    assert ["asia", "smoke"] in edges
    assert ["smoke", "lung"] not in edges


@pytest.mark.parametrize("learner", ["bn.hill-climb", "tree.chow-liu"])
def test_edge_prices_of_a_file_decide_which_edges_are_learned(
    call: Call, asia_rows: Path, tmp_path: Path, learner: str
) -> None:
    prices, target = tmp_path / "prices.csv", tmp_path / "model.json"
    prices.write_text("from,to,price\nbronc,dysp,1e5\nasia,smoke,-1e5\n")
    argv = ["--edge-prices", prices, "--smoothing", "1", "-o", target]
    assert call("learn", learner, asia_rows, *argv).code == 0
    edges = [{*edge} for edge in call("describe", target, "--json").json["edges"]]
    assert {"asia", "smoke"} in edges
    assert {"bronc", "dysp"} not in edges


def test_contradicting_knowledge_is_refused_before_the_run(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text("from,to,rule\nasia,smoke,required\nsmoke,asia,required\nnone,lung,required\n")
    done = call("learn", "bn.hill-climb", asia_rows, "--knowledge", rules)
    assert done.code == 2
    assert "cycle" in done.err
    assert "none" in done.err


def test_a_search_can_start_from_a_model(call: Call, asia: Path, asia_rows: Path) -> None:
    argv = ["--start", asia, "--restarts", "0", "--smoothing", "1", "--json"]
    started = call("learn", "bn.hill-climb", asia_rows, *argv)
    assert started.code == 0
    assert started.json["measures"]["score"] <= 0


def test_states_the_model_does_not_know_are_all_listed(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(
        "asia,tub,smoke,lung,bronc,either,xray,dysp\n"
        "no,no,perhaps,no,no,no,no,no\n"
        "no,no,no,no,no,no,no,often\n"
    )
    done = call("evaluate", asia, rows)
    assert done.code == 2
    assert "perhaps" in done.err
    assert "often" in done.err


def test_a_variable_without_a_column_is_an_error_and_a_spare_column_a_note(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("asia,tub,smoke,lung,bronc,either,xray\nno,no,no,no,no,no,no\n")
    done = call("evaluate", asia, rows)
    assert done.code == 2
    assert "dysp" in done.err
    rows.write_text("asia,tub,smoke,lung,bronc,either,xray,dysp,age\nno,no,no,no,no,no,no,no,old\n")
    done = call("evaluate", asia, rows)
    assert done.code == 0
    assert "age" in done.err


def test_missing_cells_are_summed_out(call: Call, asia: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("asia,tub,smoke,lung,bronc,either,xray,dysp\n,,yes,,?,,,NA\n,,,yes,,,,\n")
    done = call("evaluate", asia, rows, "--json")
    assert done.json["log2_likelihood"] == pytest.approx(np.log2(0.5) + np.log2(0.055))


def test_missing_can_be_a_state_of_its_own(call: Call, sample_data: Path) -> None:
    survey = sample_data / "survey.csv"
    as_missing = call("describe", survey, "--json").json["variables"]
    as_state = call("describe", survey, "--missing-as-state", "--json").json["variables"]
    assert all(entry["missing"] > 0 for entry in as_missing)
    assert all(entry["missing"] == 0 for entry in as_state)
    assert len(as_state[0]["states"]) == len(as_missing[0]["states"]) + 1


def test_columns_of_many_numbers_are_refused_until_bins_are_named(
    call: Call, tmp_path: Path
) -> None:
    rows = tmp_path / "numbers.csv"
    values = np.random.default_rng(0).normal(size=200)
    rows.write_text("x,y\n" + "".join(f"{v:.6f},{'a' if v > 0 else 'b'}\n" for v in values))
    refused = call("learn", "tree.chow-liu", rows)
    assert refused.code == 2
    assert "--bins N" in refused.err
    assert call("learn", "tree.chow-liu", rows, "--as-states", "x").code == 0
    model = tmp_path / "model.json"
    done = call("learn", "tree.chow-liu", rows, "--bins", "4", "-o", model, "--json")
    assert done.code == 0
    # The model's states carry the cut points, so numbers can be read with it.
    again = call("evaluate", model, rows, "--json")
    assert again.json["log2_likelihood_per_row"] == pytest.approx(
        done.json["log2_likelihood_per_row"]
    )


def test_validation_rows_are_cut_as_the_training_rows_are(call: Call, tmp_path: Path) -> None:
    source = np.random.default_rng(0)
    for name, shift in (("train", 0), ("valid", 1)):
        values = source.normal(size=200) + shift
        lines = "".join(f"{v:.6f},{'a' if v > 0 else 'b'}\n" for v in values)
        (tmp_path / f"{name}.csv").write_text("x,y\n" + lines)
    argv = ["--valid", tmp_path / "valid.csv", "--bins", "4", "--binning", "width"]
    model = tmp_path / "model.json"
    done = call("learn", "tree.chow-liu", tmp_path / "train.csv", *argv, "-o", model, "--json")
    assert done.code == 0
    again = call("evaluate", model, tmp_path / "valid.csv", "--json")
    assert again.json["log2_likelihood_per_row"] == pytest.approx(
        done.json["valid_log2_likelihood_per_row"]
    )


def test_a_state_only_in_the_validation_rows_is_taken_in(call: Call, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("x,y\n" + "a,no\nb,no\n" * 10)
    (tmp_path / "valid.csv").write_text("x,y\na,no\nb,yes\n")
    argv = ["--valid", tmp_path / "valid.csv", "--smoothing", "1", "--json"]
    done = call("learn", "tree.chow-liu", tmp_path / "train.csv", *argv)
    assert done.code == 0
    assert "y = yes" in done.err
    assert np.isfinite(done.json["valid_log2_likelihood_per_row"])


def test_a_table_of_counts_is_the_same_as_its_rows(call: Call, sample_data: Path) -> None:
    argv = ["--smoothing", "0", "--json"]
    rows = call("learn", "tree.chow-liu", sample_data / "coronary.csv", *argv).json
    counted = [sample_data / "coronary_counts.csv", "--frequency", "count"]
    counts = call("learn", "tree.chow-liu", *counted, *argv).json
    assert counts["log2_likelihood_per_row"] == pytest.approx(rows["log2_likelihood_per_row"])
    assert counts["measures"]["score"] == pytest.approx(rows["measures"]["score"])


def test_a_time_limit_keeps_the_best_and_ends_with_0(
    call: Call, asia_rows: Path, tmp_path: Path
) -> None:
    target = tmp_path / "model.json"
    argv = ["--restarts", "1000000", "--smoothing", "1", "--time-limit", "1.5", "-o", target]
    done = call("learn", "bn.hill-climb", asia_rows, *argv, "--json")
    assert done.code == 0
    assert done.json["outcome"] == "stopped"
    assert "The best model so far was kept" in done.err
    assert target.is_file()


def test_sampling_misses_cells_at_the_rate_asked_for(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    target = tmp_path / "rows.csv"
    assert call("sample", asia, "-n", "2000", "--missing", "0.25", "-o", target).code == 0
    output = call("describe", target, "--json").json
    assert output["rows"] == 2000
    missing = sum(entry["missing"] for entry in output["variables"])
    assert missing / 16000 == pytest.approx(0.25, abs=0.02)


def test_converting_there_and_back_keeps_the_model(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    there, back = tmp_path / "there.bif", tmp_path / "back.json"
    assert call("convert", sample_data / "greenhouse.json", there).code == 0
    assert call("convert", there, back).code == 0
    before = call("query", sample_data / "greenhouse.json", "--of", "yield", "--json").json
    after = call("query", back, "--of", "yield", "--json").json
    assert after["beliefs"]["yield"] == pytest.approx(before["beliefs"]["yield"])


def test_asking_for_one_variable_or_all_gives_the_same_belief(
    call: Call, sample_data: Path
) -> None:
    model, given = sample_data / "greenhouse.json", ["--given", "wilting=yes", "season=summer"]
    every = call("query", model, *given, "--json").json
    one = call("query", model, *given, "--of", "root_rot", "--json").json
    assert one["beliefs"]["root_rot"] == pytest.approx(every["beliefs"]["root_rot"])
    assert one["log2_evidence"] == pytest.approx(every["log2_evidence"])


def test_beliefs_are_shown_as_bars(call: Call, asia: Path) -> None:
    shown = call("query", asia, "--given", "smoke=yes", "--of", "bronc").out
    assert "smoke = yes" in shown
    assert "P(evidence) = 0.5" in shown
    yes = next(line for line in shown.splitlines() if line.strip().startswith("yes"))
    assert yes.count("█") == 14  # 60 % of 24 cells
    assert "60.0 %" in yes


def test_drawing_with_evidence_shows_it(call: Call, asia: Path, tmp_path: Path) -> None:
    plain, asked = tmp_path / "plain.svg", tmp_path / "asked.svg"
    assert call("draw", asia, plain).code == 0
    assert call("draw", asia, asked, "--given", "smoke=yes").code == 0
    assert plain.read_text().startswith(("<?xml", "<svg"))
    assert "dysp" in plain.read_text()
    assert "yes" in asked.read_text()
    assert "yes" not in plain.read_text()


def test_the_tour_leaves_numbered_files_and_a_report(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "tour"
    done = call("tour", "--out", folder, "--json")
    assert done.code == 0
    assert done.json["files"] == [
        "01-network.svg",
        "02-beliefs.svg",
        "03-rows.csv",
        "04-bn.hill-climb.json",
        "05-bn.hill-climb.svg",
        "06-tree.chow-liu.json",
        "07-tree.chow-liu.svg",
        "report.md",
    ]
    report = (folder / "report.md").read_text()
    for name in done.json["files"][:-1]:
        assert (folder / name).stat().st_size > 0
        assert name in report


def test_a_run_that_is_stopped_before_its_search_has_a_result_gives_the_model_it_begins_with(
    call: Call, asia_rows: Path
) -> None:
    done = call("learn", "bn.pc", asia_rows, "--time-limit", "0.000001", "--json")
    assert done.code == 0
    assert done.json["outcome"] == "stopped"
    assert done.json["log2_likelihood_per_row"] < 0
    assert (
        "stopped before it found a better model than its start model, which is the result: "
        in done.err
    )


def test_output_onto_a_circle_of_links_is_a_message(call: Call, asia: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    done = call("convert", asia, tmp_path / "a.json")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "a.json: cannot be written" in done.err


@pytest.mark.parametrize("argv", [("sample", "{asia}"), ("generate", "parity")])
def test_more_rows_than_fit_into_memory_are_refused_with_a_message(
    call: Call, asia: Path, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    given = [str(asia) if word == "{asia}" else word for word in argv]
    done = call(*given, "-n", "1000000000000", "-o", tmp_path / "rows.csv")
    assert done.code == 2
    assert "-n/--rows: 1,000,000,000,000 rows need" in done.err


@dataclass(frozen=True)
class Stopped:
    """A run that is stopped after it found a model of this graph."""

    data: DataSet
    result: Sequence[tuple[str, str]]
    learner_key: str = "bn.hill-climb"

    def __call__(self, cancel: CancelToken) -> Iterator[ImprovedModel]:
        names = self.data.domain.names
        for edges, is_start in (([("smoke", "lung")], True), (self.result, False)):
            network = fit_tables(self.data, Dag.from_edges(names, edges)).network
            yield ImprovedModel(network, {}, is_start=is_start)
        raise Cancelled


@pytest.mark.parametrize(("result", "is_start"), [((), True), ((("bronc", "dysp"),), False)])
def test_a_search_that_is_stopped_behind_its_start_gives_the_start(
    asia_rows: Path, result: Sequence[tuple[str, str]], is_start: bool
) -> None:
    task = cast(LearnTask, Stopped(read_data(asia_rows), result))
    done = run_learner(task, ProgressLine(quiet=True))
    assert done.is_start == is_start
    assert isinstance(done.model, BayesianNetwork)
    assert done.model.edges == ((("smoke", "lung"),) if is_start else result)


@pytest.mark.parametrize(
    ("learner", "size"),
    [("relational.spanning-tree", "Stored tuples"), ("possibilistic.spanning-tree", "Degrees")],
)
def test_models_without_probabilities_have_no_free_parameters(
    call: Call, sample_data: Path, tmp_path: Path, learner: str, size: str
) -> None:
    model = tmp_path / "model.json"
    learned = call("learn", learner, sample_data / "geometric_objects.arff", "-o", model).out
    described = call("describe", model).out
    for printed in (learned, described):
        assert size in printed
        assert "Free parameters" not in printed


def test_degrees_in_json_are_those_of_the_text(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    model = tmp_path / "degrees.json"
    call(
        "learn", "possibilistic.spanning-tree", sample_data / "geometric_objects.arff", "-o", model
    )
    out = call("query", model, "--given", "shape=triangle", "--json").out
    document = json.loads(out)
    assert max(document["beliefs"]["shape"].values()) == pytest.approx(0.1)  # one row in ten
    assert document["necessity"]["shape"]["triangle"] == pytest.approx(0.1)


def test_drawings_show_degrees_and_what_is_possible(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    drawn = {}
    for setting in ("relational", "possibilistic"):
        model, file = tmp_path / f"{setting}.json", tmp_path / f"{setting}.svg"
        data = sample_data / "geometric_objects.arff"
        call("learn", f"{setting}.spanning-tree", data, "-o", model)
        assert call("draw", model, file, "--given", "shape=triangle").code == 0
        drawn[setting] = file.read_text(encoding="utf-8")
    assert ">possible<" in drawn["relational"]
    assert ">impossible<" in drawn["relational"]
    assert ">Π .10<" in drawn["possibilistic"]  # one row in ten
    assert "outer: possibility, inner: necessity" in drawn["possibilistic"]
    for text in drawn.values():
        assert ">100<" not in text
