"""The samples of the welcome page: what each shows and which file it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pgmstudio.gui.style.resource import folder_of


@dataclass(frozen=True, slots=True)
class Sample:
    """A file in sample_data; `group` is a word of the filter, `chip` the kind of thing it is."""

    file: str
    title: str
    chip: str
    group: str
    text: str

    @property
    def path(self) -> Path:
        return folder_of("sample_data") / self.file


SAMPLES = (
    Sample(
        "asia.json",
        "Asia",
        "Network",
        "Models",
        "Click a bar, watch beliefs move. 8 variables.",
    ),
    Sample(
        "greenhouse.json",
        "Greenhouse",
        "Network",
        "Models",
        "A larger network to find your way in.",
    ),
    Sample(
        "asia_sample.csv",
        "Asia rows",
        "Data",
        "Data",
        "5 000 rows drawn from Asia: learn it back.",
    ),
    Sample(
        "coronary.csv", "Coronary", "Data", "Data", "Six risk factors of 1 841 men, as published."
    ),
    Sample(
        "survey.csv",
        "Survey",
        "Data with gaps",
        "Data",
        "Answers with missing cells; see what each learner does.",
    ),
    Sample(
        "parity5.csv", "Parity", "Data", "Data", "Five bits, one rule, and no pair tells anything."
    ),
)
