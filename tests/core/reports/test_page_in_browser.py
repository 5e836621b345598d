"""Interactive pages in a real browser, where one is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.inference.base import Observed, Scale
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.core.reports.interactive_page.page import PageSubject, interactive_page
from tests.core.reports.test_interactive_page import HOSTILE, hostile_subject
from tests.core.reports.test_page_engines import EXAMPLES

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


def opened(text: str, folder: Path) -> str:
    """The document after the page's script ran, from a file and without a network."""
    page = folder / "page.html"
    page.write_text(text, encoding="utf-8")
    assert BROWSER is not None
    quiet = ("background-networking", "component-update", "sync", "gpu", "extensions")
    done = subprocess.run(
        [
            BROWSER,
            *("--headless", "--no-sandbox", "--no-first-run", "--dump-dom"),
            *(f"--disable-{part}" for part in quiet),
            f"--user-data-dir={folder / 'profile'}",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def compare_beliefs(model: Model, folder: Path) -> None:
    """Open a page with evidence and read the belief of every state."""
    names = model.domain.names
    session = open_session(model)
    likely = int(session.belief(names[1]).values.argmax())
    evidence = {names[1]: Observed(model.domain[names[1]].states[likely])}
    session.set_evidence(names[1], evidence[names[1]])
    document = opened(interactive_page(PageSubject(model, evidence=evidence)), folder)
    # The variables come first; the component of a mixture is the last card.
    shown = [float(text) for text in re.findall(r'data-belief="([^"]*)"', document)]
    is_possibility = language_of(model).scale is Scale.POSSIBILITY
    factor = 2.0 ** session.log2_evidence() if is_possibility else 1.0
    expected = np.concatenate([factor * session.belief(name).values for name in names])
    np.testing.assert_allclose(shown[: expected.size], expected, rtol=0, atol=1e-9)


def test_a_page_opens_from_a_file_with_the_beliefs_of_the_session(
    sample_data: Path, tmp_path: Path
) -> None:
    compare_beliefs(read_model(sample_data / "asia.json").model, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_language_has_the_beliefs_of_its_session(kind: str, tmp_path: Path) -> None:
    compare_beliefs(EXAMPLES[kind](np.random.default_rng(41)), tmp_path)


def test_hostile_names_are_shown_as_texts(tmp_path: Path) -> None:
    document = opened(interactive_page(hostile_subject()), tmp_path)
    assert "<img" not in document
    titles = re.findall(r'<span class="title"[^>]*>([^<]*)</span>', document)
    assert [unescape(title) for title in titles] == list(HOSTILE)
