"""What people and programs read: numbers, bars, tables, one JSON object, a moving line."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.cli.terminal.output import (
    Block,
    Fields,
    FilesWritten,
    Table,
    bar,
    count_of,
    decimal,
    percent,
    print_result,
    signed,
    whole,
)
from pgmstudio.cli.terminal.progress import ProgressLine, progress_text
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken, Progress, StopSwitch
from tests.cli.conftest import Call


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_numbers_on_a_terminal_are_ascii() -> None:
    assert whole(1841) == "1841"
    assert decimal(-12345.6789) == "-12345.679"
    assert decimal(-math.inf) == "-inf"
    assert decimal(None) == "-"
    assert signed(0.25, 2) == "+0.25"


def test_typographic_numbers_in_messages_and_tables_become_ascii() -> None:
    stream = io.StringIO()
    ProgressLine(quiet=False, stream=stream).message("1\u202f841 rows, score −3.5, limit −∞, a−b.")
    assert stream.getvalue() == "1841 rows, score -3.5, limit -inf, a−b.\n"
    table = Table(("n", "x"), [("12\u2009960", "−1"), ("1", "−10.5")], "<>")
    assert list(table.lines()) == ["n          x", "12960     -1", "1      -10.5"]
    assert list(Fields([("Size", "1\u202f000")]).lines()) == ["Size  1000"]


def test_a_percentage_is_0_or_100_only_when_it_is() -> None:
    assert percent(0) == "0.0 %"
    assert percent(1e-9) == "<0.1 %"
    assert percent(1 - 1e-9) == ">99.9 %"
    assert percent(1) == "100.0 %"
    assert percent(0.0648) == "6.5 %"


def test_one_row_is_not_rows() -> None:
    assert count_of(1, "row") == "1 row"
    assert count_of(0, "row") == "0 rows"


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.5, 0.999, 1])
def test_a_bar_is_as_long_as_its_share(share: float) -> None:
    drawn = bar(share, cells=10)
    assert len(drawn) == 10
    assert abs(drawn.count("█") - 10 * share) <= 1


def test_json_has_null_where_a_number_is_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = {"a": -math.inf, "b": [np.float64(1.5), math.nan], "c": {"d": np.int64(3)}}
    print_result(FilesWritten(numbers), "json")
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [1.5, None], "c": {"d": 3}}


def test_columns_of_a_table_are_aligned() -> None:
    lines = list(Table(("name", "size"), [("a", "1"), ("long name", "1000")], "<>").lines())
    assert {len(line) for line in lines} == {len("long name  1000")}


def test_the_line_shows_fraction_message_and_counters() -> None:
    text = progress_text(Progress(0.25, "Climbing", {"restart": 3, "score": -1.5}), 12.2)
    assert " 25 %" in text
    assert "Climbing" in text
    assert "restart 3" in text
    assert "score -1.500" in text
    assert "12 s" in text


def test_on_a_terminal_the_bar_is_drawn_and_removed_before_a_message() -> None:
    stream = Terminal()
    line = ProgressLine(quiet=False, stream=stream)
    line.show(Progress(0.5))
    assert " 50 %" in stream.getvalue()
    line.message("Finished.")
    assert stream.getvalue().endswith("\rFinished.\n")


def test_without_a_terminal_only_messages_are_written() -> None:
    stream = io.StringIO()
    line = ProgressLine(quiet=False, stream=stream)
    line.show(Progress(0.5))
    line.message("A note.")
    assert stream.getvalue() == "A note.\n"


def test_quiet_writes_nothing_at_all() -> None:
    stream = Terminal()
    line = ProgressLine(quiet=True, stream=stream)
    line.show(Progress(0.5))
    line.message("A note.")
    assert stream.getvalue() == ""


@pytest.mark.parametrize(("yields_after_stop", "taken"), [(False, [1]), (True, [1, 2])])
def test_a_task_that_yields_after_a_stop_is_read_to_its_end(
    yields_after_stop: bool, taken: list[int]
) -> None:
    def task(cancel: CancelToken) -> Iterator[int]:
        assert isinstance(cancel, StopSwitch)
        cancel.cancel()  # as Ctrl+C does
        yield 1
        yield 2
        raise Cancelled

    events: list[int] = []
    end = run_task(
        task, events.append, ProgressLine(quiet=True), yields_after_stop=yields_after_stop
    )
    assert events == taken
    assert end.outcome == "stopped"


def test_terminal_escapes_in_names_do_not_reach_the_terminal(
    call: Call, tmp_path: Path, sample_data: Path
) -> None:
    evil = tmp_path / "a\x1b[31mb\x07\x9b2J.json"
    evil.write_bytes((sample_data / "asia.json").read_bytes())
    sampled = call("sample", evil, "-n", "3", "-o", tmp_path / "x\x1b]0;title\x07.csv")
    assert sampled.code == 0
    lost = call("query", tmp_path / "missing\x1b[2J.json")
    assert lost.code == 2
    assert "missing[2J.json" in lost.err
    for text in (sampled.out, sampled.err, lost.out, lost.err):
        assert not {"\x1b", "\x07", "\x9b"} & set(text)


def test_samples_for_spreadsheets_have_no_formulas(call: Call, tmp_path: Path) -> None:
    from pgmstudio.core.data.variables import Domain
    from pgmstudio.core.io.models.files import ModelFile, write_model
    from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork

    model = BayesianNetwork.uniform(Domain.of({"@a": ["=1+1", "-x"]}))
    write_model(tmp_path / "odd.json", ModelFile(model))
    out = tmp_path / "rows.csv"
    assert call("sample", tmp_path / "odd.json", "-n", 20, "-o", out).code == 0
    assert set(out.read_text().split()) == {"@a", "=1+1", "-x"}
    assert call("sample", tmp_path / "odd.json", "-n", 20, "-o", out, "--quote-formulas").code == 0
    assert set(out.read_text().split()) == {"'@a", "'=1+1", "'-x"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_options_of_the_printer(call: Call, name: str) -> None:
    shown = call(name, "--help")
    assert shown.code == 0, shown.err
    assert "--json" in shown.out
    assert "--quiet" in shown.out


def test_a_result_is_printed_as_text_or_as_one_json_object(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Sizes:
        exit_code = 0

        def as_dict(self) -> dict[str, float]:
            return {"size": 12960, "bits": -3.5}

        def blocks(self) -> Iterator[Block]:
            yield "Sizes"
            yield Table(("name", "size"), [("a", whole(12960))], "<>")
            yield Fields([("Bits", decimal(-3.5, 1))])

    print_result(Sizes())
    assert capsys.readouterr().out == "Sizes\nname   size\na     12960\nBits  -3.5\n"
    print_result(Sizes(), "json")
    assert json.loads(capsys.readouterr().out) == {"size": 12960, "bits": -3.5}
