"""The samples of the welcome page: what each shows and which file it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pgmstudio.gui.style.resource import folder_of

NETWORKS, CONTEXT, TREES, DATA = "Bayesian networks", "Context", "Trees", "Data"


@dataclass(frozen=True, slots=True)
class Sample:
    """A file in sample_data; `group` is a word of the filter, `chip` the kind of thing it is."""

    file: str
    title: str
    chip: str
    group: str
    text: str
    rows: str = ""  # the file of the rows a model was learned from, opened with it

    @property
    def path(self) -> Path:
        return folder_of("sample_data") / self.file

    @property
    def rows_path(self) -> Path | None:
        return folder_of("sample_data") / self.rows if self.rows else None


SAMPLES = (
    Sample(
        "asia.json",
        "Asia",
        "Bayesian network",
        NETWORKS,
        "Click a bar, watch beliefs move. 8 variables.",
    ),
    Sample(
        "coronary_labels.json",
        "Coronary",
        "LDAG",
        CONTEXT,
        "Labels on edges, one context at a time. 6 risk factors.",
        "coronary.csv",
    ),
    Sample(
        "coronary_flow.json",
        "Coronary flow",
        "PDG",
        CONTEXT,
        "Follow the probability through the nodes.",
        "coronary.csv",
    ),
    Sample(
        "survey_trees.json",
        "Survey trees",
        "Mixture of trees",
        TREES,
        "Three trees over 12 answers, with missing cells.",
        "survey.csv",
    ),
    Sample(
        "survey_classes.json",
        "Survey classes",
        "Latent classes",
        TREES,
        "Three kinds of household: profiles and assignments.",
        "survey.csv",
    ),
    Sample(
        "greenhouse.json",
        "Greenhouse",
        "Bayesian network",
        NETWORKS,
        "41 variables: find your way in a larger network.",
    ),
    Sample(
        "check-up.csv",
        "Check-up",
        "Numbers and gaps",
        DATA,
        "Drag the cuts of three columns; say what ? means.",
    ),
    Sample(
        "asia_sample.csv",
        "Asia rows",
        "Data",
        DATA,
        "5 000 rows drawn from Asia: learn it back.",
    ),
    Sample(
        "coronary_counts.csv",
        "Coronary table",
        "Counts",
        DATA,
        "1 841 men as published: one line for each combination.",
    ),
    Sample(
        "survey.csv",
        "Survey",
        "Data with gaps",
        DATA,
        "15 % of the cells are missing; see what each learner does.",
    ),
    Sample(
        "logic1.csv",
        "Circuit",
        "To classify",
        DATA,
        "Ten bits of a circuit: which classifier finds its rule?",
    ),
    Sample(
        "parity5.csv",
        "Parity",
        "Data",
        DATA,
        "Five bits, one rule, and no pair tells anything.",
    ),
)
