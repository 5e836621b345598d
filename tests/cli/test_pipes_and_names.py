"""Pipes, formats, short names, lists and options that are the same in all commands."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pgmstudio.cli.man_page import man_page
from pgmstudio.cli.options.evidence import observed_states
from pgmstudio.cli.registry import COMMANDS
from pgmstudio.cli.terminal.parser import listed, listed_names, spelled
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import UnknownNameError
from tests.cli.conftest import Call

TypeIn = Callable[[Path], None]


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> TypeIn:
    """type_in(path): the content of the file becomes standard input."""

    def give(path: Path) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))

    return give


def test_a_model_learned_from_a_pipe_answers_a_query_in_a_pipe(
    call: Call, sample_data: Path, tmp_path: Path, type_in: TypeIn
) -> None:
    type_in(sample_data / "coronary.csv")
    learned = call("learn", "tree.chow-liu", "-", "-o", "-")
    assert learned.code == 0, learned.err
    model = tmp_path / "model.json"
    model.write_text(learned.out)
    assert json.loads(learned.out)["variables"]
    assert "Log-likelihood" in learned.err
    type_in(model)
    asked = call("query", "-", "--given", "smoking=yes", "--of", "pressure", "--json")
    assert asked.code == 0, asked.err
    assert set(asked.json["beliefs"]) == {"pressure"}


def test_rows_and_pictures_go_to_standard_output(call: Call, asia: Path, type_in: TypeIn) -> None:
    rows = call("sample", asia, "-n", "4", "-o", "-", "--quiet")
    assert len(rows.out.splitlines()) == 5
    assert rows.out.startswith("asia,")
    assert rows.err == ""
    assert call("generate", "parity", "-n", "2", "-o", "-", "-q").out.count("\n") == 3
    assert "<svg" in call("draw", asia, "-", "-q").out
    type_in(asia)
    assert call("convert", "-", "-o", "-", "-q").out.startswith("{")


def test_describe_distinguishes_a_model_from_rows_in_a_pipe(
    call: Call, asia: Path, asia_rows: Path, type_in: TypeIn
) -> None:
    type_in(asia)
    assert "edges" in call("describe", "-", "--json").json
    type_in(asia_rows)
    assert call("describe", "-", "--json").json["rows"] == 5000


def test_beliefs_as_csv_have_a_row_for_every_state(call: Call, asia: Path) -> None:
    shown = call("query", asia, "--of", "lung,tub", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [(row["variable"], row["state"]) for row in rows] == [
        ("lung", "yes"),
        ("lung", "no"),
        ("tub", "yes"),
        ("tub", "no"),
    ]
    assert float(rows[0]["belief"]) == pytest.approx(0.055)


def test_the_records_of_json_are_the_rows_of_csv(call: Call, asia: Path, asia_rows: Path) -> None:
    shown = call("strengths", asia, asia_rows, "--format", "csv")
    wanted = call("strengths", asia, asia_rows, "--format", "json").json
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    (records,) = (entry for entry in wanted.values() if isinstance(entry, list))
    assert len(rows) == len(records) == 8
    assert set(rows[0]) == set(records[0])
    assert call("evaluate", asia, asia_rows, "--format", "CSV").out.startswith("kind,rows,")


@pytest.mark.parametrize(
    ("name", "key"),
    [("TREE.Chow-Liu", "tree.chow-liu"), ("chow-liu", "tree.chow-liu"), ("HC", "bn.hill-climb")],
)
def test_learners_have_short_names_in_any_case(
    call: Call, sample_data: Path, name: str, key: str
) -> None:
    rows = sample_data / "coronary.csv"
    assert call("learn", name, rows, "--json", "-q").json["learner"] == key
    (described,) = call("learners", name, "--json").json["learners"]
    assert described["key"] == key


def test_ges_is_the_equivalence_search_with_its_settings(call: Call, sample_data: Path) -> None:
    rows = sample_data / "coronary.csv"
    words = ["--greediness", 1, "--phases", "two-phase", "--json"]
    short, long = call("learn", "ges", rows, "--json"), call("learn", "bn.kes", rows, *words)
    assert short.json["learner"] == "bn.kes"
    assert short.json["measures"] == long.json["measures"]
    assert call("learn", "ges", rows, "--phases", "full", "--json").code == 0


def test_names_of_variables_and_states_are_found_in_any_case(call: Call, asia: Path) -> None:
    one = call("query", asia, "--given", "SMOKE=Yes", "--of", "Lung", "--json").json
    other = call("query", asia, "--given", "smoke=yes", "--of", "lung", "--json").json
    assert one == other
    assert spelled("a", ["A", "a"]) == "a"
    assert spelled("aB", ["AB", "ab"]) == "aB"  # which of them is not clear


def test_findings_and_lists_may_be_separated_by_commas_or_blanks(call: Call, asia: Path) -> None:
    with_commas = call("query", asia, "--given", "smoke=yes,xray=no", "--of", "lung,tub", "--json")
    with_blanks = call(
        "query", asia, "--given", "smoke=yes", "xray=no", "--of", "lung", "tub", "--json"
    )
    one_argument = call("query", asia, "--given", "smoke=yes xray=no", "--of", "lung tub", "--json")
    assert with_commas.json == with_blanks.json == one_argument.json
    assert listed("a, b c,,d") == ["a", "b", "c", "d"]
    assert listed_names("a b,c", ["a b", "c"]) == ["a b", "c"]
    assert listed_names("a b", ["a", "B"]) == ["a", "B"]
    assert listed_names(["x,y"], ["x,y"]) == ["x,y"]


def test_blanks_in_states_do_not_separate_findings() -> None:
    domain = Domain((Variable("a", ("x y", "no, b=z")), Variable("b", ("z", "w"))))
    assert observed_states(domain, ["a=x y, b=z"]) == {"a": "x y", "b": "z"}
    assert observed_states(domain, ["a=no, b=z"]) == {"a": "no, b=z"}
    with pytest.raises(UnknownNameError, match="No state of a is called “x z”"):
        observed_states(domain, ["a=x z"])


def test_a_model_in_place_of_data_and_a_folder_are_refused_as_such(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    assert "asia.json: is a model, not a table." in call("learn", "hc", asia).err
    assert "is a folder, not a file." in call("describe", tmp_path).err
    out = tmp_path / "none" / "a.svg"
    assert f"there is no folder {out.parent}" in call("draw", asia, out).err


def test_lists_of_learners_and_numbers_go_on_over_several_words(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    rows = sample_data / "coronary.csv"
    words = ["--learners", "chow-liu", "nb", "--lambdas", "0.2", "0.5", rows, "--jobs", "1"]
    points = call("curve", *words, "--json").json["points"]
    assert {point["learner"] for point in points} == {"tree.chow-liu", "bn.naive-bayes"}
    assert [p["lambda"] for p in points if p["learner"] == "tree.chow-liu"] == [0.2, 0.5]


def test_columns_are_left_out_by_a_list(call: Call, sample_data: Path) -> None:
    rows = sample_data / "coronary.csv"
    names = [v["name"] for v in call("describe", rows, "--json").json["variables"]]
    left = call("describe", rows, "--leave-out", f"{names[0]},{names[1]}", "--json").json
    assert [v["name"] for v in left["variables"]] == names[2:]


@pytest.mark.parametrize("ending", ["json", "csv", "svg"])
def test_a_curve_is_written_as_its_ending_says(
    call: Call, sample_data: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"curve.{ending}"
    rows = sample_data / "coronary.csv"
    words = ["--learners", "tree.chow-liu", "--lambdas", "0.1,0.5", "--jobs", 1, "-o", out]
    assert call("curve", rows, *words).code == 0
    text = out.read_text()
    if ending == "json":
        assert len(json.loads(text)["points"]) == 2
    elif ending == "csv":
        assert len(list(csv.DictReader(io.StringIO(text)))) == 2
    else:
        assert "<svg" in text


@pytest.mark.parametrize(("ending", "beginning"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_a_model_is_drawn_as_png_and_pdf(
    call: Call, asia: Path, tmp_path: Path, ending: str, beginning: bytes
) -> None:
    out = tmp_path / f"asia{ending}"
    done = call("draw", asia, out, "--given", "smoke=yes")
    assert done.code == 0, done.err
    assert out.read_bytes().startswith(beginning)
    assert out.stat().st_size > 5000


def test_without_the_window_a_png_is_refused_with_the_way_out(
    call: Call, asia: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pgmstudio.core.reports.pictures.find_spec", lambda name: None)
    done = call("draw", asia, tmp_path / "asia.png")
    assert done.code == 2
    assert "pgmstudio[gui]" in done.err


def test_learn_shows_what_it_found_and_that_it_was_not_saved(
    call: Call, sample_data: Path, tmp_path: Path
) -> None:
    rows = sample_data / "coronary.csv"
    lost = call("learn", "tree.chow-liu", rows)
    assert "Not saved" in lost.out
    assert "pressure → " in lost.out or "→ pressure" in lost.out
    kept = call("learn", "tree.chow-liu", rows, "-o", tmp_path / "tree.json")
    assert "Not saved" not in kept.out
    classes = call("learn", "nb.latent", rows, "--components", 2, "--restarts", 1)
    assert "Class weights" in classes.out


def test_help_groups_the_commands_and_shows_what_each_does(call: Call) -> None:
    shown = call("--help").out
    groups = list(dict.fromkeys(command.group for command in COMMANDS.values()))
    indices = [shown.index(f"\n{group}\n") for group in groups]
    assert indices == sorted(indices)
    for command in COMMANDS.values():
        first = command.help.split()[0]
        assert first.islower(), first
        assert not first.endswith(("s", "ed", "ing")), f"{command.name}: not in the imperative"


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("sweep", ["-o", "--output", "--out", "--jobs", "--processes"]),
        ("bootstrap", ["-o", "--jobs", "--workers", "--time-limit"]),
        ("study", ["-o", "--out", "--jobs", "--processes"]),
        ("recipe", ["-o", "--out", "--time-limit"]),
        ("tour", ["-o", "--out"]),
        ("disagree", ["-o", "--csv"]),
        ("curve", ["-o", "--jobs", "--time-limit"]),
        ("compare-languages", ["--budget", "--time-limit", "--jobs"]),
        ("query", ["--time-limit", "--seconds"]),
    ],
)
def test_one_word_has_one_meaning_and_the_old_ones_are_kept(command: str, names: list[str]) -> None:
    parser = COMMANDS[command].load().make_parser(["bn.hill-climb"])
    assert [name for name in names if not parser.has_option(name)] == []


@pytest.mark.parametrize(
    ("words", "wanted", "unwanted"),
    [
        (["comp"], "compare-languages", "query"),
        (["learn", "bn.h"], "bn.hill-climb", "bn.pc"),
        (["learn", ""], "hc", "learn"),
        (["learn", "bn.hill-climb", "--max-p"], "--max-parents", "--json"),
        (["learn", "hc", "x.csv", "--score", "b"], "bdeu", "aic"),
        (["generate", "par"], "parity", "bars"),
        (["curve", "x.csv", "--learners", "tree"], "tree.chow-liu", "bn.pc"),
        (["query", "x.json", "--format", ""], "csv", "--json"),
        (["completion", ""], "fish", "query"),
        (["learn", "kes", "--score=b"], "--score=bic", "bic"),
        (["learn", "kes", "--score", "=", "b"], "bic", "--score=bic"),
        (["learn", "kes", "--score", "="], "bic", "="),
        (["curve", "x.csv", "--learners", "hc,bn.k"], "hc,bn.k2", "bn.k2"),
        (["curve", "x.csv", "--learners", "bn.k2,bn.k"], "bn.k2,bn.kes", "bn.k2,bn.k2"),
    ],
)
def test_words_are_completed(call: Call, words: list[str], wanted: str, unwanted: str) -> None:
    result = call("--complete", *words).out.split()
    assert wanted in result
    assert unwanted not in result
    assert result == sorted(result)


def test_where_a_file_is_to_be_named_the_shell_completes(call: Call) -> None:
    for words in (["query", ""], ["learn", "hc", "sam"], ["draw", "x.json", "-o", ""], ["x", ""]):
        assert call("--complete", *words).out.strip() == ""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_the_script_of_bash_asks_the_program(call: Call, tmp_path: Path) -> None:
    """With a stand-in for the program, which says what it was asked."""
    script = tmp_path / "completion.sh"
    script.write_text(call("completion", "bash").out)
    words = "COMP_WORDS=(pgmstudio learn bn.h); COMP_CWORD=2"
    message = "printf 'bn.hill-climb\\nbn.k2\\n'; echo \"$@\" >&2"
    code = (
        f'pgmstudio() {{ {message}; }}; . {script}; {words}; _pgmstudio; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "bn.hill-climb\n"
    assert [name for name in ("bash", "zsh", "fish") if call("completion", name).out == ""] == []


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_the_script_of_fish_offers_files_only_where_the_program_has_no_answer(
    call: Call, tmp_path: Path
) -> None:
    script = tmp_path / "completion.fish"
    script.write_text(call("completion", "fish").out)
    (tmp_path / "bn.csv").touch()
    stand_in = 'function pgmstudio; test "$argv[2]" = learn; and echo bn.kes; end'
    for words, wanted in (("learn bn", ["bn.kes"]), ("query bn", ["bn.csv"])):
        code = f"{stand_in}; source {script}; complete -C 'pgmstudio {words}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert [line.split("\t")[0] for line in done.stdout.splitlines()] == wanted


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
def test_the_script_of_zsh_asks_the_program(call: Call, tmp_path: Path) -> None:
    """With a stand-in for the program and for the builtin that takes the answer."""
    script = tmp_path / "completion.zsh"
    script.write_text(call("completion", "zsh").out)
    stand_ins = (
        "compdef() { :; }; pgmstudio() { print -l bn.kes 'two words' \"$@\"; }; "
        'compadd() { print -l "${(@P)2}"; }; _files() { print files; }'
    )
    code = f"{stand_ins}; . {script}; words=(pgmstudio learn ''); CURRENT=3; _pgmstudio"
    done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["bn.kes", "two words", "--complete", "learn"]


def test_the_manual_page_has_every_command_and_is_clean() -> None:
    page = man_page()
    for command in COMMANDS.values():
        assert f".B {command.name.replace('-', chr(92) + '-')}" in page
    man = shutil.which("groff")
    if man is not None:
        words = [man, "-man", "-Tutf8", "-ww", "-K", "utf8"]
        done = subprocess.run(words, input=page, capture_output=True, text=True)
        assert done.stderr == ""
        assert "COMMON OPTIONS" in re.sub(".\b", "", done.stdout)  # bold is struck twice


def test_options_replace_those_of_a_preset(call: Call, asia_rows: Path) -> None:
    done = call("learn", "bn.kes", asia_rows, "--restarts", 1, "--preset", "thesis", "--json")
    assert done.json["measures"]["runs"] == 11
    assert "Did you mean thesis" in call("learn", "bn.kes", asia_rows, "--preset", "theses").err
    shown = call("learners", "bn.kes").out
    assert "--preset thesis" in shown
    assert "--draws printed" in " ".join(shown.split())
