"""Pictures of every page, light and dark, wide and narrow, to be looked at by people.

    python tests/gui/screenshots.py            leaves them in tests/pictures/out/
    python tests/gui/screenshots.py --manual   renews the pictures of the README in docs/pictures/

Not a test: nothing is compared. The names are NAME-theme-WIDTHxHEIGHT.png.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings  # noqa: E402 - the platform is chosen before

from pgmstudio.gui.app.guided_tour import start_tour  # noqa: E402
from pgmstudio.gui.app.main import make_application  # noqa: E402
from pgmstudio.gui.app.main_window import MainWindow  # noqa: E402
from pgmstudio.gui.app.tour import WindowTour, made_up_rows  # noqa: E402
from pgmstudio.gui.style.theme import theme  # noqa: E402

SIZES = ((1280, 800), (1024, 700))
# The four pictures the README shows, by the names they have there.
MANUAL = {"import": "import", "running": "learning", "graph": "evidence", "table": "table"}


def scenes(tour: WindowTour, rows: Path) -> Iterator[str]:
    """Walk through the window; every name comes when its scene is set."""
    tour.welcome()
    yield "welcome"
    guided = start_tour(tour.shell)
    for step in (0, 1, 2, 3):
        tour.hands.wait_for("the step", lambda: guided.is_ready)
        yield f"tour-{step + 1}"
        guided.next()
    guided.leave()
    tour.import_rows(rows)
    yield "import"
    tour.data()
    yield "data"
    tour.learn_form()
    yield "learn"
    tour.learning_run()
    yield "running"
    tour.model()
    yield "model"
    tour.evidence()
    yield "graph"
    tour.table()
    yield "table"
    tour.wrong_sum()
    yield "table-waits"
    tour.right_again()
    tour.knowledge()
    yield "knowledge"


def take_pictures(folder: Path, size: tuple[int, int], *, names: dict[str, str] | None) -> None:
    """All scenes at one size; `names`: only these, in the light look, called so."""
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    window = MainWindow()
    window.resize(*size)
    window.show()
    tour = WindowTour(window)
    with tempfile.TemporaryDirectory() as own:
        rows = Path(own) / "check-up.csv"
        rows.write_bytes(made_up_rows())
        for name in scenes(tour, rows):
            if names is not None:
                if name in names:
                    tour.hands.take_picture(folder / f"{names[name]}.png")
                continue
            for mode in ("dark", "light"):
                theme().set_look(mode="dark" if mode == "dark" else "light")
                tour.hands.settle()
                file = folder / f"{name}-{mode}-{size[0]}x{size[1]}.png"
                print(tour.hands.take_picture(file))
    tour.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manual", action="store_true", help="only the pictures of the README")
    is_manual = parser.parse_args().manual
    with tempfile.TemporaryDirectory() as own:
        os.environ["XDG_CONFIG_HOME"] = own
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, own)
        make_application()
        if is_manual:
            take_pictures(ROOT / "docs/pictures", SIZES[0], names=MANUAL)
        else:
            for size in SIZES:
                take_pictures(ROOT / "tests/pictures/out", size, names=None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
