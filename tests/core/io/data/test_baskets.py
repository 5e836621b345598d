"""Sparse rows: a line of items per row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, DataFileError
from pgmstudio.core.io.data.reader import import_data, read_data, write_data


def rows_of(data: DataSet) -> list[set[str]]:
    return [
        {v.name for v, code in zip(data.domain, row, strict=True) if v.states[code] == "yes"}
        for row in data.codes.T
    ]


@pytest.mark.parametrize(
    "text",
    [
        "bread,milk\nred wine\n\nmilk,red wine\n",
        "bread, milk\r\nred wine,\r\n\r\nred wine , milk\r\n",
        "milk,bread,milk\nred wine\n\nmilk,red wine",
    ],
)
def test_each_line_is_a_row_and_each_item_a_column(tmp_path: Path, text: str) -> None:
    path = tmp_path / "shop.basket"
    path.write_bytes(text.encode())
    data = read_data(path)
    assert data.domain.names == ("bread", "milk", "red wine")
    assert all(variable.states == ("no", "yes") for variable in data.domain)
    assert rows_of(data) == [{"bread", "milk"}, {"red wine"}, set(), {"milk", "red wine"}]


def test_item_numbers_are_separated_by_blanks_and_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "numbers.basket"
    path.write_text("10 9 2\n2\n")
    data = read_data(path)
    assert data.domain.names == ("2", "9", "10")
    assert rows_of(data) == [{"2", "9", "10"}, {"2"}]


def random_baskets(seed: int, names: tuple[str, ...]) -> DataSet:
    rng = np.random.default_rng(seed)
    codes = (rng.random((len(names), 30)) < 0.2).astype(np.uint8)
    codes[:, 3] = 1
    return DataSet(Domain.of(dict.fromkeys(names, ("no", "yes"))), codes)


@pytest.mark.parametrize("ending", [".basket", ".basket.gz"])
@pytest.mark.parametrize("names", [("a", "b", "c"), ("red wine",), ("1", "2", "10")])
def test_rows_that_are_written_come_back(
    tmp_path: Path, names: tuple[str, ...], ending: str
) -> None:
    data = random_baskets(1, names)
    write_data(tmp_path / f"rows{ending}", data)
    first = (tmp_path / f"rows{ending}").read_bytes()
    write_data(tmp_path / f"rows{ending}", data)
    assert (tmp_path / f"rows{ending}").read_bytes() == first
    again = import_data(tmp_path / f"rows{ending}").data
    assert again.domain == data.domain
    assert (again.codes == data.codes).all()


def test_a_whole_weight_is_as_many_lines(tmp_path: Path) -> None:
    domain = Domain.of({"a": ("0", "1"), "b": ("True", "False")})
    data = DataSet(domain, np.array([[1, 0], [1, 0]], dtype=np.uint8), np.array([2.0, 1.0]))
    write_data(tmp_path / "w.basket", data)
    assert (tmp_path / "w.basket").read_text() == "a\na\nb\n"


@pytest.mark.parametrize(
    ("states", "codes", "message"),
    [
        (("red", "blue"), [0, 1], "has the states red, blue"),
        (("no", "yes"), [0, 0], "is in no row"),
        (("no", "yes"), [1, 255], "missing cells"),
    ],
)
def test_what_lines_of_items_cannot_hold_is_refused(
    tmp_path: Path, states: tuple[str, ...], codes: list[int], message: str
) -> None:
    data = DataSet(Domain.of({"a": states}), np.array([codes], dtype=np.uint8))
    with pytest.raises(DataError, match=message):
        write_data(tmp_path / "x.basket", data)
    assert not (tmp_path / "x.basket").exists()


def test_a_file_without_items_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.basket").write_text("\n\n")
    with pytest.raises(DataFileError, match="holds no items"):
        read_data(tmp_path / "none.basket")
