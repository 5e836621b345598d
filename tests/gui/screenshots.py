"""Pictures of every page, light and dark, wide and narrow, to be looked at by people.

    python tests/gui/screenshots.py            leaves them in tests/pictures/out/
    python tests/gui/screenshots.py --manual   renews the pictures of the manual in docs/pictures/
    python tests/gui/screenshots.py --only main asked    only these groups of scenes
    python tests/gui/screenshots.py --pages    only the main pages, also with text of 200 %

Not a test: nothing is compared. The names are NAME-theme-WIDTHxHEIGHT.png; those of the main pages
are in the folder pages/.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np  # noqa: E402 - the platform is chosen before
from PySide6.QtCore import QSettings, Qt  # noqa: E402
from PySide6.QtGui import QImage, QPainter  # noqa: E402

from pgmstudio.core.resources import folder_of  # noqa: E402
from pgmstudio.gui.demo.screenshot_tour import WindowDriver, WindowTour  # noqa: E402
from pgmstudio.gui.jobs import progress_dialog  # noqa: E402
from pgmstudio.gui.theme.theme import Mode, theme  # noqa: E402
from pgmstudio.gui.tour.guided_tour import start_tour  # noqa: E402
from pgmstudio.gui.window.application import GuiThreadCollector, make_application  # noqa: E402
from pgmstudio.gui.window.main_window import MainWindow  # noqa: E402
from tests.gui.picture_scenes import GROUPS  # noqa: E402
from tests.gui.walking import opened_windows  # noqa: E402

SIZES = ((1280, 800), (1024, 700))
# The pictures that README and tutorials show, by the names they have there.
MANUAL = {
    "main": {
        "import": "import",
        "running": "learning",
        "graph": "evidence",
        "table": "table",
        "knowledge": "knowledge",
    },
    "comparing": {"compare": "compare"},
    "stepwise": {"steps-1-columns": "step-by-step"},
    "tutorials": {
        "tutorial-labels": "labelled-graph",
        "tutorial-flow": "decision-graph",
        "tutorial-classes": "class-profiles",
        "tutorial-greenhouse": "greenhouse",
        "tutorial-cycle": "cycle",
    },
}
# The sixteen main pages, the page of a model once for each language, by the names of their files.
PAGES = {
    "main": {
        "welcome": "01-welcome",
        "import": "02-import",
        "data": "03-data",
        "learn": "04-learn",
        "running": "05-run",
        "graph": "06-model-network",
        "table": "07-cpt-editor",
        "knowledge": "14-knowledge",
    },
    "labels": {"ldag-context": "06-model-ldag"},
    "graphs": {"pdg-evidence": "06-model-pdg"},
    "mixtures": {"mixture-overlay": "06-model-mixture"},
    "classes": {"classes-star": "06-model-latent-class"},
    "markov": {"markov-context": "06-model-markov"},
    "degrees": {
        "degrees-possibility": "06-model-possibilistic",
        "degrees-relation": "06-model-relational",
    },
    "curves": {"curves": "08-sl-curves"},
    "comparing": {"compare": "09-comparison"},
    "asked": {"ask-sensitivity": "11-tornado", "scenarios": "10-scenarios"},
    "blocks": {"classification": "12-classification"},
    "searched": {"difference": "13-difference"},
    "pictured": {"separation": "15-separation"},
    "small": {"help": "16-manual"},
}
PAGE_LOOKS = (*((size, 1.0) for size in SIZES), ((1280, 800), 2.0))  # size, scale of the text


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
    folder: Path,
    size: tuple[int, int],
    group: str,
    *,
    names: Mapping[str, str] | None = None,
    modes: Sequence[Mode] = ("dark", "light"),
    scale: float = 1.0,
) -> None:
    """The scenes of a group in a window of one size; `names`: only these, with their new names."""
    theme().set_look(mode="light", scale=scale, reduced_motion=True)
    window = MainWindow()
    window.resize(*size)
    window.show()
    driver = WindowDriver(window)
    wanted = None if names is None else dict(names)
    look = f"{size[0]}x{size[1]}" + ("" if scale == 1 else f"-{100 * scale:.0f}%")
    with tempfile.TemporaryDirectory() as own:
        for scene in SCENES[group](driver, Path(own)):
            if wanted is not None and scene not in wanted:
                continue
            name = scene if wanted is None else wanted.pop(scene)
            for mode in modes:
                theme().set_look(mode=mode)
                driver.settle()
                file = name if len(modes) == 1 else f"{name}-{mode}-{look}"
                print(take_whole(driver, folder / f"{file}.png"))
            if wanted is not None and not wanted:
                break
    window.app.workspace.background_runs.stop_all()
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


def reduce_colours(file: Path) -> None:
    """Store a picture with its 256 most frequent colours, at a third of the bytes."""
    image = QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32)
    shape = image.height(), image.bytesPerLine() // 4
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(shape)[:, : image.width()]
    colours, counts = np.unique(pixels, return_counts=True)
    palette = [int(colour) for colour in colours[np.argsort(-counts, kind="stable")][:256]]
    nearest = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    image.convertToFormat(QImage.Format.Format_Indexed8, palette, nearest).save(str(file), "PNG", 0)


def main() -> int:
    progress_dialog.QUIET_MS = 60_000  # files are open when their scene goes on
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manual", action="store_true", help="only the pictures of the manual")
    parser.add_argument("--pages", action="store_true", help="only the main pages")
    parser.add_argument("--only", nargs="+", choices=SCENES, default=list(SCENES), metavar="GROUP")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        os.environ["XDG_CONFIG_HOME"] = own
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, own)
        GuiThreadCollector(
            make_application()
        )  # as in the program: widgets do not die in other threads
        if chosen.manual:
            folder = ROOT / "docs/pictures"
            for group in (group for group in MANUAL if group in chosen.only):
                names = MANUAL[group]
                take_pictures(folder, SIZES[0], group, names=names, modes=("light",))
                for name in names.values():
                    reduce_colours(folder / f"{name}.png")
        elif chosen.pages:
            for size, scale in PAGE_LOOKS:
                for group in (g for g in PAGES if g in chosen.only):
                    take_pictures(
                        ROOT / "tests/pictures/out/pages",
                        size,
                        group,
                        names=PAGES[group],
                        scale=scale,
                    )
        else:
            for size in SIZES:
                for group in chosen.only:
                    take_pictures(ROOT / "tests/pictures/out", size, group)
    return 0


if __name__ == "__main__":
    sys.exit(main())
