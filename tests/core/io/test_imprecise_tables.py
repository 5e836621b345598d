"""Tables whose cells are sets of states."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.data.imprecise import ImpreciseData, cell_text
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, DataFileError
from pgmstudio.core.io.data.inspection import ColumnKind, inspect_file
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, read_imprecise, write_data
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.project.edits import add_data
from pgmstudio.core.project.project import DataEntry, Project

TEXT = """color,size,count
"{red,green}",1,2
blue,*,1
{red|blue},10,3
,2,1
"""


def test_sets_and_unknown_cells_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text(TEXT)
    data = read_imprecise(path, ImportOptions(frequency="count"))
    assert data.domain["color"].states == ("blue", "green", "red")
    assert data.domain["size"].states == ("1", "2", "10")
    assert [cell_text(data, 0, row) for row in range(4)] == [
        "{green,red}",
        "blue",
        "{blue,red}",
        "*",
    ]
    assert data.weights is not None
    assert data.weights.tolist() == [2, 1, 3, 1]
    degrees = PossibilityDistribution.of(data).projection([0])
    # Most possible: (blue, 10) by rows 2 and 3, (green, 1) by row 1, (red, 10) by row 3.
    assert degrees == pytest.approx([4 / 7, 2 / 7, 3 / 7])
    again = tmp_path / "again.csv"
    write_data(again, data)
    same = read_imprecise(again, ImportOptions(frequency="weight"))
    assert same.sets == data.sets
    assert same.codes.tolist() == data.codes.tolist()
    assert data.fingerprint != data.select_columns(["size"]).fingerprint


def test_broken_sets_are_reported_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text("a,b\n{x,1\n{},2\n{x|},3\n")
    with pytest.raises(DataFileError) as raised:
        read_imprecise(path, ImportOptions(delimiter=","))
    assert len(raised.value.problems) >= 2


def test_the_command_learns_from_imprecise_rows(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, model = str(sample_data / "weather_imprecise.csv"), str(tmp_path / "weather.json")
    argv = ["learn", "possibilistic.spanning-tree", rows, "--imprecise", "-o", model, "--json"]
    assert main(argv) == 0
    learned = json.loads(capsys.readouterr().out)
    assert learned["rows"] == 40
    assert learned["measures"]["largest_degree"] > 3 / 40
    assert main(["query", model, "--given", "grass=wet", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert set(answer["necessity"]["weather"]) == {"cloudy", "rainy", "sunny"}
    command = ["associations", rows, "--imprecise", "--measure", "spec_gain", "--json"]
    assert main(command) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert len(pairs) == 10
    assert pairs[0]["value"] > 0


def test_a_project_keeps_the_sets(sample_data: Path) -> None:
    data = read_imprecise(sample_data / "weather_imprecise.csv")
    project = add_data(Project(), entry=DataEntry("weather", data))
    (entry,) = project_from_bytes(project_bytes(project)).data.values()
    assert isinstance(entry.data, ImpreciseData)
    assert entry.data.sets == data.sets
    assert entry.data.fingerprint == data.fingerprint
    with pytest.raises(DataError, match="does not exist"):
        ImpreciseData.of_members(data, np.array([[0], [40], [0]]))


def test_sets_are_noticed_and_counted_apart_from_states(sample_data: Path) -> None:
    path = sample_data / "weather_imprecise.csv"
    report = inspect_file(path)
    data = read_imprecise(path)
    # {no,yes} is a set in the file and any state in the data.
    assert report.set_cells > len(data.sets) > 0
    assert report.set_example.startswith("{")
    weather = inspect_file(path, ImportOptions(imprecise=True)).columns[0]
    assert weather.kind is ColumnKind.STATES
    assert [state for state, _ in weather.states] == ["cloudy", "rainy", "sunny"]
    sets = sum(position == 0 for position, _ in data.sets)
    unknown = int((data.codes[0] == data.missing_code).sum()) - sets
    assert weather.missing == unknown
    assert inspect_file(sample_data / "geometric_objects.arff").set_cells == 0


def test_imprecise_rows_are_coded_by_the_states_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text("color,size\n{red|green},1.0\n*,{1|2}\nblue,2\n")
    domain = Domain.of({"size": ("1", "2", "3"), "color": ("red", "green", "blue")})
    data = import_data(path, ImportOptions(imprecise=True, domain=domain)).data
    assert [cell_text(data, 1, row) for row in range(3)] == ["{red,green}", "*", "blue"]
    assert [cell_text(data, 0, row) for row in range(3)] == ["1", "{1,2}", "2"]
    path.write_text("color,size\n{red|pink},1\n")
    with pytest.raises(DataFileError, match="pink"):
        import_data(path, ImportOptions(imprecise=True, domain=domain))


def test_formats_without_sets_are_refused(sample_data: Path, tmp_path: Path) -> None:
    data = read_imprecise(sample_data / "weather_imprecise.csv")
    with pytest.raises(DataFileError, match="csv"):
        write_data(tmp_path / "weather.arff", data)
    write_data(tmp_path / "weather.parquet", data)
    assert read_imprecise(tmp_path / "weather.parquet").sets.keys() == data.sets.keys()


def test_the_command_line_offers_the_option_where_sets_are_seen(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = str(sample_data / "weather_imprecise.csv")
    assert main(["associations", rows, "--measure", "spec_gain"]) == 0
    assert "Option: --imprecise." in capsys.readouterr().err
    assert main(["associations", rows, "--measure", "spec_gain", "--imprecise"]) == 0
    assert "--imprecise" not in capsys.readouterr().err


def test_the_command_possibility_lists_degrees_and_cuts(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = str(sample_data / "weather_imprecise.csv")
    argv = ["possibility", rows, "--imprecise", "--rescaled", "--json"]
    assert main([*argv, "--alpha", "0.8"]) == 0
    cut = json.loads(capsys.readouterr().out)
    assert (cut["tuples"], cut["exact"]) == (3, True)
    assert [line["degree"] for line in cut["degrees"]] == pytest.approx([1, 0.9, 0.8])
    assert main([*argv, "--of", "weather"]) == 0
    projected = json.loads(capsys.readouterr().out)["degrees"]
    assert {line["states"][0]: line["degree"] for line in projected} == pytest.approx(
        {"sunny": 1.0, "cloudy": 0.9, "rainy": 0.7}
    )
    # Beyond the limit the degrees are marked.
    assert main(["possibility", rows, "--imprecise", "--max-closure", "3"]) == 0
    out = capsys.readouterr()
    assert "(approximate)" in out.out
    assert "Approximate: the imprecise rows have more than 3 intersections" in out.err
    model = str(tmp_path / "weather.json")
    learn = ["learn", "possibilistic.spanning-tree", rows, "--imprecise", "-o", model, "--quiet"]
    assert main([*learn, "--rescaled", "yes"]) == 0
    assert main(["possibility", model, "--alpha", "0.8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["tuples"] >= 3
