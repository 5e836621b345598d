"""What cells mean: numbers and states, cuts, markers, weights, and the states of a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import Cuts, Discretisation
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataFileError, UnknownNameError
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, read_data


def saved(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def column(texts: list[object], name: str = "x") -> str:
    return "".join(f"{text},a\n" for text in [name, *texts]).replace(",a\n", ",other\n", 1)


def test_numbers_are_states_in_ascending_order_however_they_are_written(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, column(["10", "2.0", "2", "-1", "1e1", ".5"])))
    assert data.domain["x"].states == ("-1", "0.5", "2", "10")
    assert data.column("x").tolist() == [3, 2, 2, 0, 3, 1]


def test_texts_are_states_in_natural_order(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, column(["bin 10", "bin 2", "Apple", "banana", "bin 1"])))
    assert data.domain["x"].states == ("Apple", "banana", "bin 1", "bin 2", "bin 10")


def test_leading_zeros_make_a_name_of_a_number(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, column(["007", "7", "07"]))).domain["x"].cardinality == 3


def test_blanks_around_a_cell_do_not_count(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, column([" a", "a ", "a", " ? "]))).domain["x"].states == ("a",)


def test_truth_values_are_two_states(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, column(["true", "false"]))).domain["x"].states == (
        "false",
        "true",
    )


def test_columns_of_many_numbers_are_refused_by_name(tmp_path: Path) -> None:
    text = "age,sex,height\n" + "".join(f"{i},{'mf'[i % 2]},{i / 10}\n" for i in range(30))
    with pytest.raises(DataFileError, match=r"2 columns.*age, height.*Discretise"):
        read_data(saved(tmp_path, text))


def test_twenty_values_are_states_and_twenty_one_are_many(tmp_path: Path) -> None:
    assert read_data(saved(tmp_path, column(list(range(20))))).domain["x"].cardinality == 20
    with pytest.raises(DataFileError):
        read_data(saved(tmp_path, column(list(range(21)))))
    as_states = ImportOptions(as_states=("x",))
    data = read_data(saved(tmp_path, column(list(range(21)))), as_states)
    assert data.domain["x"].cardinality == 21


@pytest.mark.parametrize("binning", ["width", "frequency", "quantile", "kmeans", "nice"])
def test_bins_cut_columns_of_many_numbers_and_no_others(tmp_path: Path, binning: str) -> None:
    text = "x,y\n" + "".join(f"{i * 1.5},{i % 3}\n" for i in range(60))
    imported = import_data(saved(tmp_path, text), ImportOptions(bins=4, binning=binning))
    assert set(imported.cuts) == {"x"}
    assert imported.data.domain["x"].is_ordinal
    assert imported.data.domain["x"].states == imported.cuts["x"].labels
    assert imported.data.domain["y"].states == ("0", "1", "2")


def test_a_column_can_be_cut_in_its_own_way(tmp_path: Path) -> None:
    text = "x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(60))
    options = ImportOptions(
        bins=3,
        discretise={"x": Discretisation("cuts", points=(10, 20)), "y": Cuts("y", (2.5,))},
    )
    imported = import_data(saved(tmp_path, text), options)
    assert imported.data.domain["x"].states == ("<10", "10–20", "≥20")
    assert imported.data.domain["y"].states == ("<2.5", "≥2.5")


def test_cuts_by_mdl_separate_the_target(tmp_path: Path) -> None:
    text = "x,noise,class\n" + "".join(
        f"{i},{(i * 37) % 59},{'low' if i < 30 else 'high'}\n" for i in range(60)
    )
    options = ImportOptions(bins=5, binning="mdl", target="class")
    imported = import_data(saved(tmp_path, text), options)
    assert imported.cuts["x"].points == (30,)
    assert imported.data.domain["noise"].cardinality == 1
    assert any("noise" in warning for warning in imported.warnings)


def test_missing_numbers_stay_missing_when_cut(tmp_path: Path) -> None:
    text = column([*range(40), "?", "nan", ""])
    data = read_data(saved(tmp_path, text), ImportOptions(bins=2))
    assert data.missing_counts[0] == 3
    as_state = read_data(saved(tmp_path, text), ImportOptions(bins=2, missing_as_state=True))
    assert as_state.domain["x"].states[-1] == "missing"
    assert not as_state.has_missing


def test_stray_texts_among_numbers_are_listed_with_their_rows(tmp_path: Path) -> None:
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, column([*range(40), "4O", *range(30), "4O"])))
    assert [(p.row, p.column) for p in refused.value.problems] == [(41, "x"), (72, "x")]
    assert "not a number" in str(refused.value)


def test_markers_can_be_chosen(tmp_path: Path) -> None:
    text = column(["1", "-999", "NA", "2", "-999.0"])
    data = read_data(saved(tmp_path, text), ImportOptions(markers=("-999", "-999.0")))
    assert data.domain["x"].states == ("1", "2", "NA")
    assert data.missing_counts[0] == 2


def test_missing_can_be_a_state(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, column(["a", "?", "b"])), ImportOptions(missing_as_state=True))
    assert data.domain["x"].states == ("a", "b", "missing")
    assert data.domain["other"].states == ("a",)
    assert data.column("x").tolist() == [0, 2, 1]


def test_a_column_that_is_empty_everywhere_is_left_out_and_reported(tmp_path: Path) -> None:
    imported = import_data(saved(tmp_path, "x,y\n?,a\n,b\n"))
    assert imported.data.domain.names == ("y",)
    assert any("“x” is empty" in warning for warning in imported.warnings)


def test_a_frequency_column_gives_weights(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, "x,n\na,3\nb,0.5\n"), ImportOptions(frequency="n"))
    assert data.domain.names == ("x",)
    assert data.weights is not None
    assert data.weights.tolist() == [3, 0.5]


def test_strange_counts_are_all_listed(tmp_path: Path) -> None:
    path = saved(tmp_path, "x,n\na,3\nb,-1\nc,?\n")
    with pytest.raises(DataFileError) as refused:
        read_data(path, ImportOptions(frequency="n"))
    assert {p.row for p in refused.value.problems} == {2, 3}
    with pytest.raises(DataFileError, match="no numbers"):
        read_data(path, ImportOptions(frequency="x"))


def test_weights_count_when_cuts_are_made(tmp_path: Path) -> None:
    rows = [(i, 100 if i < 5 else 1) for i in range(40)]
    weighted = saved(tmp_path, "x,n\n" + "".join(f"{v},{n}\n" for v, n in rows))
    cuts = import_data(weighted, ImportOptions(frequency="n", bins=4)).cuts["x"]
    repeated = saved(tmp_path, column([v for v, n in rows for _ in range(n)]))
    assert cuts == import_data(repeated, ImportOptions(bins=4)).cuts["x"]


def test_columns_can_be_left_out_and_a_name_that_is_not_there_is_reported(tmp_path: Path) -> None:
    path = saved(tmp_path, "x,y\na,b\nc,d\n")
    assert read_data(path, ImportOptions(leave_out=("x",))).domain.names == ("y",)
    for wrong in (
        ImportOptions(leave_out=("z",)),
        ImportOptions(frequency="z"),
        ImportOptions(as_states=("z",)),
    ):
        with pytest.raises(UnknownNameError, match="column"):
            read_data(path, wrong)


def test_declared_states_come_first_and_stay_when_they_do_not_occur(tmp_path: Path) -> None:
    options = ImportOptions(declared={"x": ("low", "middle", "high")})
    data = read_data(saved(tmp_path, column(["high", "low", "odd"])), options)
    assert data.domain["x"].states == ("low", "middle", "high", "odd")
    assert data.column("x").tolist() == [2, 0, 3]


def test_the_states_of_a_model_are_used_as_it_names_them(tmp_path: Path) -> None:
    domain = Domain.of({"y": ("q", "p"), "x": ("1", "2", "3")})
    path = saved(tmp_path, "x,extra,y\n2.0,e,p\n1,e,q\n?,e,\n")
    imported = import_data(path, ImportOptions(domain=domain))
    assert imported.data.domain == domain
    assert imported.data.codes.tolist() == [[1, 0, 255], [1, 0, 255]]
    assert any("extra" in warning for warning in imported.warnings)


def test_every_unknown_state_is_listed_with_its_row(tmp_path: Path) -> None:
    domain = Domain.of({"x": "ab", "y": "ab", "z": "ab"})
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, "x,y\na,q\nb,a\nzebra,q\n"), ImportOptions(domain=domain))
    result = {(p.row, p.column) for p in refused.value.problems}
    assert result == {(3, "x"), (1, "y"), (3, "y"), (None, "z")}


def test_a_flood_of_unknown_states_is_reported_once_per_state(tmp_path: Path) -> None:
    domain = Domain.of({"x": "ab"})
    with pytest.raises(DataFileError) as refused:
        read_data(saved(tmp_path, "x,y\n" + "q,a\n" * 5000), ImportOptions(domain=domain))
    (problem,) = refused.value.problems
    assert "5000 rows" in problem.message


def test_a_column_the_file_lacks_can_be_missing_everywhere(tmp_path: Path) -> None:
    domain = Domain.of({"x": "ab", "hidden": "012"})
    path = saved(tmp_path, "x,y\na,b\n")
    data = read_data(path, ImportOptions(domain=domain, absent_as_missing=True))
    assert data.missing_counts == (0, 1)


def test_a_marker_that_a_model_names_as_a_state_is_that_state(tmp_path: Path) -> None:
    domain = Domain.of({"x": ("NA", "EU"), "y": "ab"})
    data = read_data(saved(tmp_path, "x,y\nNA,a\n?,NA\n"), ImportOptions(domain=domain))
    assert data.codes.tolist() == [[0, 255], [0, 255]]


def test_a_model_with_interval_states_cuts_new_numbers_by_itself(tmp_path: Path) -> None:
    train = import_data(saved(tmp_path, column(list(range(100)))), ImportOptions(bins=4))
    fresh = saved(tmp_path, column([-50, 30.5, 1000, "?"]))
    data = read_data(fresh, ImportOptions(domain=train.data.domain))
    numbers = np.array([-50, 30.5, 1000, np.nan])
    assert data.column("x").tolist() == train.cuts["x"].codes(numbers).tolist()


def test_rows_already_in_intervals_fit_the_same_model(tmp_path: Path) -> None:
    domain = Domain.of({"x": ("<5", "5–9", "≥9"), "other": "a"})
    data = read_data(saved(tmp_path, column(["5–9", "≥9", "<5"])), ImportOptions(domain=domain))
    assert data.column("x").tolist() == [1, 2, 0]


def test_missing_as_a_state_of_a_model_is_found_again(tmp_path: Path) -> None:
    options = ImportOptions(missing_as_state=True)
    path = saved(tmp_path, column(["a", "?", "b"]))
    domain = read_data(path, options).domain
    again = read_data(path, ImportOptions(missing_as_state=True, domain=domain))
    assert not again.has_missing


def test_more_states_than_a_byte_holds_are_kept_apart(tmp_path: Path) -> None:
    data = read_data(saved(tmp_path, column([f"s{i}" for i in range(400)] + ["?"])))
    assert data.codes.dtype == np.uint16
    assert data.domain["x"].cardinality == 400
    assert sorted(data.column("x")[:-1].tolist()) == list(range(400))
    assert data.missing_counts[0] == 1


@pytest.mark.parametrize("count", [253, 254, 255, 256, 257])
def test_the_edge_of_a_byte_loses_no_state(tmp_path: Path, count: int) -> None:
    data = read_data(saved(tmp_path, column([f"s{i:03}" for i in range(count)] + ["?"])))
    expected = [*range(count), data.missing_code]
    assert data.column("x").tolist() == expected


def test_importing_twice_gives_equal_data(tmp_path: Path) -> None:
    path = saved(tmp_path, column([*"abc", 1, 2, "?"]))
    first, second = read_data(path), read_data(path)
    assert isinstance(first, DataSet)
    assert first.fingerprint == second.fingerprint


def test_a_column_of_countless_unknown_values_is_refused_without_listing_them_all(
    tmp_path: Path,
) -> None:
    domain = Domain.of({"x": "ab"})
    path = saved(tmp_path, "x,y\n" + "".join(f"{i / 7},a\n" for i in range(30_000)))
    with pytest.raises(DataFileError) as refused:
        read_data(path, ImportOptions(domain=domain))
    assert len(refused.value.problems) <= 1000
    assert "29950 more texts" in str(refused.value.problems[-1])


def test_a_column_of_more_states_than_codes_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "x,y\n" + "".join(f"id{i},a\n" for i in range(70_000)))
    with pytest.raises(DataFileError, match="70,000 states"):
        read_data(path)
