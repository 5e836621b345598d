"""The tour drives the real window and leaves pictures of every step."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from pgmstudio.core.io.models.files import read_model
from pgmstudio.gui.demo.screenshot_tour import SIZE, STEPS, take_window_tour
from pgmstudio.gui.window.main_window import MainWindow
from tests.oracles.brute_force import BruteForceSession


def lights(image: QImage) -> np.ndarray:
    """Lightness on a coarse grid."""
    small = image.scaled(64, 40)
    return np.array([[small.pixelColor(x, y).lightnessF() for x in range(64)] for y in range(40)])


@pytest.mark.slow
def test_the_tour_leaves_numbered_pictures_and_a_report(
    window: MainWindow, tmp_path: Path, sample_data: Path
) -> None:
    folder = tmp_path / "tour"
    *pictures, report = take_window_tour(folder, window)
    assert [file.stem for file in pictures] == list(STEPS)
    seen = []
    for file in pictures:
        image = QImage(str(file))
        assert (image.width(), image.height()) == SIZE
        grid = lights(image)
        assert grid.std() > 0.02, f"{file.name} is one flat colour"
        assert not any(np.array_equal(grid, other) for other in seen), f"{file.name} is twice"
        seen.append(grid)
    assert seen[-1].mean() < 0.3 < seen[-2].mean()  # the last is dark

    text = report.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (folder / target).is_file(), target
    network = read_model(sample_data / "asia.json").model
    reference = BruteForceSession(network)  # type: ignore[arg-type]
    assert f"| yes | {reference.belief('lung').values[0]:.1%} |" in text
    assert "Evidence: smoke = yes, xray = yes, dysp likelihood" in text
    assert re.search(r"“50 of 5\s600 cells are missing", text)


def test_the_rows_of_the_tour_have_numbers_words_and_gaps(sample_data: Path) -> None:
    head, *rows = (sample_data / "check-up.csv").read_text(encoding="utf-8").splitlines()
    cells = [dict(zip(head.split(","), row.split(","), strict=True)) for row in rows]
    assert len(cells) == 800
    assert {row["smoker"] for row in cells} == {"yes", "no", "?"}
    assert any(row["lipids"] == "" for row in cells)
    assert all(float(row["pressure"]) > 50 for row in cells)
