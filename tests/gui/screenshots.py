"""Pictures of every page, light and dark, wide and narrow, to be looked at by people.

    python tests/gui/screenshots.py            leaves them in tests/pictures/out/
    python tests/gui/screenshots.py --manual   renews the pictures of the README in docs/pictures/
    python tests/gui/screenshots.py --only main asked    only these groups of scenes

Not a test: nothing is compared. The names are NAME-theme-WIDTHxHEIGHT.png.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings  # noqa: E402 - the platform is chosen before
from PySide6.QtGui import QPainter  # noqa: E402

from pgmstudio.core.resources import folder_of  # noqa: E402
from pgmstudio.gui.demo.screenshot_tour import WindowDriver, WindowTour  # noqa: E402
from pgmstudio.gui.jobs import progress_dialog  # noqa: E402
from pgmstudio.gui.theme.theme import theme  # noqa: E402
from pgmstudio.gui.tour.guided_tour import start_tour  # noqa: E402
from pgmstudio.gui.window.application import GuiThreadCollector, make_application  # noqa: E402
from pgmstudio.gui.window.main_window import MainWindow  # noqa: E402
from tests.gui.picture_scenes import GROUPS  # noqa: E402
from tests.gui.walking import opened_windows  # noqa: E402

SIZES = ((1280, 800), (1024, 700))
# The four pictures the README shows, by the names they have there.
MANUAL = {
    "main": {"import": "import", "running": "learning", "graph": "evidence", "table": "table"},
    "comparing": {"compare": "compare"},
}


def main_path(driver: WindowDriver, own: Path) -> Iterator[str]:
    """The tour of the window; every name comes when its scene is set."""
    rows = folder_of("sample_data") / "check-up.csv"
    tour = WindowTour(driver.window)
    tour.welcome()
    yield "welcome"
    guided = start_tour(tour.app)
    for step in (0, 1, 2, 3):
        tour.driver.wait_for("the step", lambda: guided.is_ready)
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


SCENES: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"main": main_path, **GROUPS}


def take_pictures(
    folder: Path, size: tuple[int, int], group: str, *, names: dict[str, str] | None = None
) -> None:
    """The scenes of a group at one size; `names`: only these, in the light look, called so."""
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    window = MainWindow()
    window.resize(*size)
    window.show()
    driver = WindowDriver(window)
    with tempfile.TemporaryDirectory() as own:
        for name in SCENES[group](driver, Path(own)):
            if names is not None:
                if name in names:
                    driver.take_picture(folder / f"{names[name]}.png")
                continue
            for mode in ("dark", "light"):
                theme().set_look(mode="dark" if mode == "dark" else "light")
                driver.settle()
                file = folder / f"{name}-{mode}-{size[0]}x{size[1]}.png"
                print(take_whole(driver, file))
    WindowTour(window).end()


def take_whole(driver: WindowDriver, file: Path) -> Path:
    """The window with the dialogs and lists that stand over it."""
    driver.take_picture(file)
    above = [w for w in opened_windows(driver.window) if w.size().width() > 40]
    if above:
        picture = driver.window.grab()
        painter = QPainter(picture)
        for other in above:
            painter.drawPixmap(driver.window.mapFromGlobal(other.pos()), other.grab())
        painter.end()
        picture.save(str(file))
    return file


def main() -> int:
    progress_dialog.QUIET_MS = 60_000  # files are open when their scene goes on
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manual", action="store_true", help="only the pictures of the README")
    parser.add_argument("--only", nargs="+", choices=SCENES, default=list(SCENES), metavar="GROUP")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        os.environ["XDG_CONFIG_HOME"] = own
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, own)
        GuiThreadCollector(
            make_application()
        )  # as in the program: widgets do not die in other threads
        if chosen.manual:
            for group, names in MANUAL.items():
                take_pictures(ROOT / "docs/pictures", SIZES[0], group, names=names)
        else:
            for size in SIZES:
                for group in chosen.only:
                    take_pictures(ROOT / "tests/pictures/out", size, group)
    return 0


if __name__ == "__main__":
    sys.exit(main())
