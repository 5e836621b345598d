"""Live beliefs: quick models answer at once, slow ones in a worker, and nothing gets lost."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.errors import ImpossibleEvidenceError, PgmStudioError, TooLargeError
from pgmstudio.core.inference.approximate.session import ApproximateSession
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.inference.junction_tree import cost
from pgmstudio.core.inference.junction_tree.session import Beliefs, JunctionTreeSession
from pgmstudio.core.languages.sessions import open_fitting_session, open_session
from pgmstudio.core.model import Model
from pgmstudio.gui.beliefs import belief_worker as belief_engine
from pgmstudio.gui.beliefs.belief_service import BeliefService
from tests.gui.samples import sprinkler
from tests.strategies import random_network


class SlowSession(JunctionTreeSession):
    """Answers only when it is let; counts its answers and the threads they were made in."""

    def __init__(self, network: object) -> None:
        super().__init__(network)  # type: ignore[arg-type]
        self.may_answer = threading.Event()
        self.asked: list[Mapping[str, Finding]] = []
        self.threads: set[int] = set()

    def beliefs(self) -> Beliefs:
        self.threads.add(threading.get_ident())
        self.asked.append(dict(self.evidence))
        if self.evidence:
            assert self.may_answer.wait(60)
        return super().beliefs()


class Slow:
    """A live model with a slow session that is never taken into the window thread."""

    def __init__(self, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(belief_engine, "opens_at_once", lambda _model: False)
        monkeypatch.setattr(belief_engine, "MAX_MS_IN_THREAD", -1.0)
        self.sessions: list[SlowSession] = []

        def opener(model: Model) -> SlowSession:
            self.sessions.append(SlowSession(model))
            return self.sessions[-1]

        self.live = BeliefService(sprinkler(), opener=opener)
        qtbot.waitUntil(lambda: bool(self.live.priors))

    @property
    def session(self) -> SlowSession:
        return self.sessions[-1]


@pytest.fixture
def slow(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Slow:
    return Slow(qtbot, monkeypatch)


def expected(evidence: Mapping[str, Finding]) -> dict[str, list[float]]:
    session = JunctionTreeSession(sprinkler())
    session.set_all(evidence)
    return {name: belief.values.tolist() for name, belief in session.beliefs().items()}


def shown(live: BeliefService) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in live.beliefs.items()}


def test_a_small_model_answers_before_the_click_is_over(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("wet", "yes")
    assert not live.is_stale
    assert shown(live) == expected({"wet": Observed("yes")})


def test_a_slow_model_never_holds_up_the_window(qtbot: QtBot, slow: Slow) -> None:
    live = slow.live
    prior = shown(live)
    live.click_state("wet", "yes")  # returns although the session may not answer yet
    assert live.is_stale
    assert live.is_waiting
    assert live.evidence == {"wet": Observed("yes")}
    assert shown(live) == prior, "the last bars stay"
    slow.session.may_answer.set()
    qtbot.waitUntil(lambda: not live.is_stale)
    assert shown(live) == expected({"wet": Observed("yes")})
    assert threading.get_ident() not in slow.session.threads


def test_the_newest_evidence_wins_and_what_lies_between_is_skipped(
    qtbot: QtBot, slow: Slow
) -> None:
    live = slow.live
    live.click_state("wet", "yes")
    qtbot.waitUntil(lambda: {"wet": Observed("yes")} in slow.session.asked)
    for weight in (0.2, 0.4, 0.6):
        live.set_likelihood("rain", {"no": 1.0, "yes": weight})
    slow.session.may_answer.set()
    qtbot.waitUntil(lambda: not live.is_stale)
    last = {"wet": Observed("yes"), "rain": Likelihood((("no", 1.0), ("yes", 0.6)))}
    assert shown(live) == expected(last)
    between = Likelihood((("no", 1.0), ("yes", 0.4)))
    assert all(evidence.get("rain") != between for evidence in slow.session.asked)


def test_a_slow_model_that_turns_out_quick_is_asked_in_the_window_thread(
    qtbot: QtBot, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(belief_engine, "MAX_MS_IN_THREAD", 10_000.0)
    slow.session.may_answer.set()
    slow.live.click_state("wet", "yes")
    qtbot.waitUntil(lambda: not slow.live.is_stale)
    slow.live.click_state("rain", "yes")
    qtbot.waitUntil(lambda: not slow.live.is_stale)
    assert threading.get_ident() in slow.session.threads


def test_impossible_evidence_in_a_worker_is_refused_and_the_rest_stays(
    qtbot: QtBot, slow: Slow
) -> None:
    live = slow.live
    slow.session.may_answer.set()
    live.click_state("rain", "no")
    live.click_state("sprinkler", "off")
    qtbot.waitUntil(lambda: not live.is_stale)
    with qtbot.waitSignal(live.refused) as emitted:
        live.click_state("wet", "yes")  # impossible without rain and sprinkler
    variable, error = emitted.args
    assert variable == "wet"
    assert isinstance(error, ImpossibleEvidenceError)
    assert set(error.conflict) == {"rain", "sprinkler", "wet"}
    qtbot.waitUntil(lambda: not live.is_stale)
    assert live.evidence == {"rain": Observed("no"), "sprinkler": Observed("off")}


def test_a_refused_replacement_in_a_worker_leaves_the_old_finding(qtbot: QtBot, slow: Slow) -> None:
    live = slow.live
    slow.session.may_answer.set()
    for name, state in (("rain", "no"), ("sprinkler", "off"), ("wet", "no")):
        live.click_state(name, state)
    qtbot.waitUntil(lambda: not live.is_stale)
    with qtbot.waitSignal(live.refused):
        live.click_state("wet", "yes")
    qtbot.waitUntil(lambda: not live.is_stale)
    assert live.evidence["wet"] == Observed("no")


def test_another_version_of_the_model_keeps_the_evidence_that_fits(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("wet", "yes")
    live.click_state("rain", "yes")
    live.set_model(sprinkler().without_variable("rain"))
    assert live.evidence == {"wet": Observed("yes")}
    assert set(live.beliefs) == {"sprinkler", "wet"}
    assert not live.is_stale


def test_a_new_model_while_a_worker_is_busy_is_the_one_that_is_shown(
    qtbot: QtBot, slow: Slow
) -> None:
    live, old = slow.live, slow.session
    live.click_state("wet", "yes")
    smaller = sprinkler().without_variable("sprinkler")
    live.set_model(smaller)
    old.may_answer.set()
    qtbot.waitUntil(lambda: len(slow.sessions) == 2)
    slow.session.may_answer.set()
    qtbot.waitUntil(lambda: not live.is_stale)
    assert set(live.beliefs) == {"rain", "wet"}


def test_a_model_that_is_too_large_keeps_its_error_and_refuses_evidence(qtbot: QtBot) -> None:
    def opener(model: Model) -> JunctionTreeSession:
        raise TooLargeError("Exact inference would need 9 GB.")

    live = BeliefService(sprinkler(), opener=opener)
    assert isinstance(live.error, TooLargeError)
    assert not live.beliefs
    with qtbot.waitSignal(live.refused):
        live.click_state("wet", "yes")
    assert not live.evidence


def test_a_large_model_that_cannot_be_opened_reports_it_later(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(belief_engine, "opens_at_once", lambda _model: False)

    def opener(model: Model) -> JunctionTreeSession:
        raise TooLargeError("Exact inference would need 9 GB.")

    live = BeliefService(sprinkler(), opener=opener)
    qtbot.waitUntil(lambda: live.error is not None)
    assert not live.is_waiting


def test_a_larger_network_opens_beside_the_window_and_gives_the_same_beliefs(
    qtbot: QtBot,
) -> None:
    network = random_network(np.random.default_rng(5), 30, density=0.1)
    live = BeliefService(network)
    assert not live.beliefs, "nothing was computed in the window thread"
    state = network.domain["X0"].states[0]
    live.click_state("X0", state)  # already while it is being opened
    qtbot.waitUntil(lambda: not live.is_stale, timeout=20_000)
    session = JunctionTreeSession(network)
    session.set_evidence("X0", Observed(state))
    for name, values in live.beliefs.items():
        assert values.tolist() == session.belief(name).values.tolist()


def test_with_live_update_off_the_bars_are_stale_until_asked(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.set_live(False)
    live.click_state("wet", "yes")
    assert live.is_stale
    live.update_now()
    assert not live.is_stale
    assert shown(live) == expected({"wet": Observed("yes")})


def test_an_impossible_state_is_known_and_the_evidence_that_rules_it_out_is_named(
    qtbot: QtBot,
) -> None:
    live = BeliefService(sprinkler())
    assert not live.is_impossible("wet", "yes")
    live.click_state("rain", "no")
    live.click_state("sprinkler", "off")
    live.update_now()
    assert live.is_impossible("wet", "yes")
    assert live.why_impossible("wet", "yes") == (
        "rain = no and sprinkler = off rule out wet = yes."
    )
    assert live.why_impossible("wet", "no") is None
    assert live.evidence == {"rain": Observed("no"), "sprinkler": Observed("off")}
    assert shown(live) == expected(live.evidence), "asking why disturbs nothing"


def test_the_other_states_of_an_observed_variable_are_not_called_impossible(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("rain", "yes")
    assert not live.is_impossible("rain", "no")


def test_a_finding_that_is_switched_off_keeps_its_place(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("rain", "yes")
    live.exclude_state("wet", "no")
    live.switch("rain", False)
    assert list(live.findings) == ["rain", "wet"]
    assert live.switched_off == {"rain": Observed("yes")}
    assert live.evidence == {"wet": Observed("yes")}
    live.switch("rain", True)
    assert list(live.evidence) == ["rain", "wet"]


def test_several_states_are_allowed_one_by_one(qtbot: QtBot) -> None:
    network = random_network(np.random.default_rng(1), cardinalities=(4, 2))
    live = BeliefService(network)
    live.toggle_one_of("X0", "s0")
    assert live.evidence == {"X0": Observed("s0")}
    live.toggle_one_of("X0", "s2")
    assert live.evidence == {"X0": Excluded(frozenset({"s1", "s3"}))}
    live.toggle_one_of("X0", "s0")
    assert live.evidence == {"X0": Observed("s2")}


def test_the_conflict_of_evidence_is_that_of_its_formula(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("rain", "yes")
    assert live.conflict_bits is None, "one finding has no conflict"
    live.click_state("sprinkler", "on")
    live.update_now()
    prior = expected({})
    alone = np.log2(prior["rain"][1] * prior["sprinkler"][1])
    assert live.conflict_bits == pytest.approx(alone - live.log2_evidence)
    assert live.conflict_bits > 0, "rain keeps the sprinkler off"


def test_side_questions_leave_the_evidence_alone_and_the_newest_is_answered(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    live.click_state("wet", "yes")
    answers: list[object] = []
    for state in ("no", "yes"):

        def question(session: object, cancel: object, state: str = state) -> object:
            session.set_evidence("rain", Observed(state))  # type: ignore[attr-defined]
            return state, session.belief("wet").values.tolist()  # type: ignore[attr-defined]

        live.side.ask("rain", question, answers.append)
    qtbot.waitUntil(lambda: bool(answers) and not live.side.is_busy)
    assert answers == [("yes", expected({"rain": Observed("yes")})["wet"])]
    assert live.evidence == {"wet": Observed("yes")}


def test_a_side_question_that_cannot_be_answered_reports_why(qtbot: QtBot) -> None:
    live = BeliefService(sprinkler())
    errors: list[PgmStudioError] = []

    def question(session: object, cancel: object) -> object:
        raise PgmStudioError("No.")

    live.side.ask("x", question, lambda _value: None, errors.append)
    qtbot.waitUntil(lambda: [str(error) for error in errors] == ["No."])


def test_estimates_are_shown_with_errors_that_shrink_and_follow_evidence(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(belief_engine, "MAX_REFINING_SECONDS", 3.0)
    model = random_network(np.random.default_rng(3), 14, cardinalities=[3] * 14, density=0.5)
    live = BeliefService(model, opener=lambda m: ApproximateSession(m, most_cells=64))  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: live.largest_error is not None, timeout=30_000)
    first = live.largest_error
    assert first is not None
    assert "95 % intervals" in live.estimate_note
    qtbot.waitUntil(lambda: (live.largest_error or 1.0) < first, timeout=30_000)
    variable = model.domain.variables[0]
    live.click_state(variable.name, variable.states[1])
    qtbot.waitUntil(
        lambda: not live.is_stale and live.beliefs[variable.name][1] == 1, timeout=30_000
    )
    exact = JunctionTreeSession(model)
    exact.set_evidence(variable.name, Observed(variable.states[1]))
    other = model.domain.names[5]
    qtbot.waitUntil(
        lambda: bool(np.abs(live.beliefs[other] - exact.belief(other).values).max() < 0.05),
        timeout=30_000,
    )
    assert live.errors[variable.name].max() == 0
    qtbot.waitUntil(lambda: not live.is_waiting, timeout=30_000)


def test_a_model_whose_tables_do_not_fit_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "available_bytes", lambda: 10)
    with pytest.raises(TooLargeError, match="approximate inference"):
        open_session(sprinkler())
    assert isinstance(open_fitting_session(sprinkler()), ApproximateSession)
