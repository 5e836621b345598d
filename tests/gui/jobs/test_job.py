"""Events of a background run reach the window thread, none that matters is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.gui.jobs.job import Job, JobState
from pgmstudio.gui.jobs.latest_task import LatestTask


def collect(job: Job) -> list[object]:
    heard: list[object] = []
    job.events_arrived.connect(heard.extend)
    return heard


def wait_for_end(qtbot: QtBot, job: Job) -> None:
    qtbot.waitUntil(lambda: job.state.is_end, timeout=10_000)


def test_notes_are_never_lost_and_progress_is_thinned(qtbot: QtBot) -> None:
    def task(cancel: CancelToken) -> Iterator[object]:
        for number in range(2000):
            yield Progress(number / 2000)
            if number % 500 == 0:
                yield Note(str(number))

    job = Job(task)
    heard = collect(job)
    job.start()
    wait_for_end(qtbot, job)
    assert [e.message for e in heard if isinstance(e, Note)] == ["0", "500", "1000", "1500"]
    assert sum(isinstance(e, Progress) for e in heard) < 2000
    assert job.state is JobState.FINISHED


def test_a_short_run_has_its_whole_curve_and_a_long_one_is_thinned(qtbot: QtBot) -> None:
    def scores_of(count: int) -> list[float]:
        job = Job(lambda _: (Progress(None, "", {"score": float(n)}) for n in range(count)))
        heard = collect(job)
        job.start()
        wait_for_end(qtbot, job)
        return [e.counters["score"] for e in heard if isinstance(e, Progress)]

    assert scores_of(300) == list(range(300))
    many = scores_of(20_000)
    assert len(many) < 20_000
    assert many[-1] == 19_999


def test_cancelling_delivers_what_came_before(qtbot: QtBot) -> None:
    yielded = threading.Event()

    def task(cancel: CancelToken) -> Iterator[object]:
        yield Note("found")
        yielded.set()
        while True:
            cancel.raise_if_cancelled()

    job = Job(task)
    heard = collect(job)
    job.start()
    assert yielded.wait(60)
    job.cancel()
    assert job.state is JobState.CANCELLING
    wait_for_end(qtbot, job)
    assert job.state is JobState.CANCELLED
    assert heard == [Note("found")]


def test_a_job_cancelled_while_it_waits_never_starts(qtbot: QtBot) -> None:
    started = []
    job = Job(lambda cancel: iter(started.append(1) or ()))
    job.cancel()
    job.start()
    assert job.state is JobState.CANCELLED
    assert not started


def test_an_error_is_reported_after_the_events_before_it(qtbot: QtBot) -> None:
    def task(cancel: CancelToken) -> Iterator[object]:
        yield Note("before")
        raise DataError("There are no rows.")

    job = Job(task)
    heard = collect(job)
    with qtbot.waitSignal(job.failed, timeout=5000) as failed:
        job.start()
    assert isinstance(failed.args[0], DataError)
    assert heard == [Note("before")]
    assert job.state is JobState.FAILED


def test_events_arrive_in_the_window_thread(qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    job = Job(lambda cancel: iter([Note("x")]))
    job.events_arrived.connect(lambda _: threads.append(threading.current_thread()))
    job.start()
    wait_for_end(qtbot, job)
    assert threads == [threading.main_thread()]


@pytest.mark.parametrize("questions", [1, 5])
def test_only_the_newest_question_is_answered(qtbot: QtBot, questions: int) -> None:
    latest_task = LatestTask()
    answers: list[object] = []
    latest_task.answered.connect(answers.append)
    for number in range(questions):
        latest_task.ask(lambda cancel, number=number: number)
    qtbot.waitUntil(lambda: not latest_task.is_waiting, timeout=5000)
    qtbot.waitUntil(lambda: bool(answers), timeout=5000)
    assert answers == [questions - 1]
    assert latest_task.wait(60)
