"""Interactive pages in a real browser, where one is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Done, Excluded, Finding, Observed, Scale
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.core.reports.interactive_page.page import PageSubject, interactive_page
from tests.core.reports.browser import BROWSER, Browser, opened
from tests.core.reports.test_interactive_page import HOSTILE, HOSTILE_STATES, hostile_subject
from tests.core.reports.test_page_engines import EXAMPLES

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

BELIEFS = "() => [...document.querySelectorAll('[data-belief]')].map((e) => +e.dataset.belief)"
# Clears the evidence and clicks: the mode, then the bar of a state, as often as there are findings.
CLICKS = """(clicks) => {
  document.getElementById("clear").click();
  const cards = [...document.querySelectorAll(".card")];
  for (const [mode, variable, state] of clicks) {
    document.getElementById(`mode-${mode}`).click();
    cards[variable].querySelectorAll("button.state")[state].click();
  }
  return [...document.querySelectorAll("[data-belief]")].map((e) => +e.dataset.belief);
}"""
FINDINGS = {
    "observe": Observed,
    "exclude": lambda state: Excluded(frozenset([state])),
    "intervene": Done,
}


class Expected:
    """What the session believes after the same clicks; an impossible one changes nothing."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._session = open_session(model)
        self._is_possibility = language_of(model).scale is Scale.POSSIBILITY

    def after(self, clicks: list[tuple[str, int, int]]) -> np.ndarray:
        evidence: dict[str, Finding] = {}
        self._session.retract_all()
        for mode, v, s in clicks:
            variable = self.model.domain.variables[v]
            after = {**evidence, variable.name: FINDINGS[mode](variable.states[s])}
            try:
                self._session.retract_all()
                self._session.set_all(after)  # type: ignore[attr-defined]
            except ImpossibleEvidenceError:
                self._session.set_all(evidence)  # type: ignore[attr-defined]
            else:
                evidence = after
        factor = 2.0 ** self._session.log2_evidence() if self._is_possibility else 1.0
        beliefs = [self._session.belief(name).values for name in self.model.domain.names]
        return factor * np.concatenate(beliefs)


def random_clicks(rng: np.random.Generator, model: Model) -> list[tuple[str, int, int]]:
    modes = ["observe", "exclude"] + ["intervene"] * language_of(model).has_interventions
    variables = model.domain.variables
    chosen = rng.permutation(len(variables))[: int(rng.integers(1, 5))]
    return [
        (str(rng.choice(modes)), int(v), int(rng.integers(len(variables[v].states))))
        for v in chosen
    ]


def compare(browser: Browser, model: Model, rng: np.random.Generator, times: int) -> float:
    """The largest difference of a belief after clicks on random states."""
    expected = Expected(model)
    largest = 0.0
    for _ in range(times):
        clicks = random_clicks(rng, model)
        # The variables come first; the component of a mixture is the last card.
        wanted = expected.after(clicks)
        shown = np.array(browser.ask(CLICKS, clicks))[: wanted.size]
        np.testing.assert_allclose(shown, wanted, rtol=0, atol=1e-9, err_msg=str(clicks))
        largest = max(largest, float(np.abs(shown - wanted).max()))
    return largest


def test_a_click_on_a_bar_gives_the_beliefs_of_the_session(
    sample_data: Path, tmp_path: Path
) -> None:
    model = read_model(sample_data / "asia.json").model
    expected = Expected(model)
    with opened(interactive_page(PageSubject(model)), tmp_path) as browser:
        np.testing.assert_allclose(browser.ask(BELIEFS), expected.after([]), rtol=0, atol=1e-9)
        smoke = model.domain.index("smoke")
        browser.ask("(v) => { document.querySelectorAll('.card')[v].id = 'clicked'; }", smoke)
        browser.click("#clicked .state")
        after = expected.after([("observe", smoke, 0)])
        np.testing.assert_allclose(browser.ask(BELIEFS), after, rtol=0, atol=1e-9)


def test_evidence_of_the_model_is_set_when_the_page_opens(
    sample_data: Path, tmp_path: Path
) -> None:
    model = read_model(sample_data / "asia.json").model
    subject = PageSubject(model, evidence={"tub": Observed("yes")})
    with opened(interactive_page(subject), tmp_path) as browser:
        after = Expected(model).after([("observe", model.domain.index("tub"), 0)])
        np.testing.assert_allclose(browser.ask(BELIEFS), after, rtol=0, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_language_has_the_beliefs_of_its_session_after_random_clicks(
    kind: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(41)
    model = EXAMPLES[kind](rng)
    with opened(interactive_page(PageSubject(model)), tmp_path) as browser:
        compare(browser, model, rng, times=200)


def test_hostile_names_are_shown_as_texts(tmp_path: Path) -> None:
    with opened(interactive_page(hostile_subject()), tmp_path) as browser:
        titles = "() => [...document.querySelectorAll('.card .title')].map((e) => e.textContent)"
        assert browser.ask(titles) == list(HOSTILE)
        browser.click(".card .state")
        assert HOSTILE_STATES[0] in browser.ask("() => document.querySelector('.chip').textContent")
        assert browser.ask("() => document.querySelectorAll('img, b b, iframe').length") == 0
