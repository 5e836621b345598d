"""`pgmstudio evaluate --target`: how well a model predicts one variable from the others."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import (
    count_of,
    decimal,
    percent,
    print_pairs,
    print_table,
    whole,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.analysis.classification import Classification
    from pgmstudio.core.analysis.feature_selection import Feature

FEATURES_SHOWN = 12
STATES_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Classified:
    """What --target found."""

    found: Classification
    features: tuple[Feature, ...]

    def as_dict(self) -> Mapping[str, Any]:
        """For JSON: the measures, and the variables with what they tell about the target."""
        features = [
            {"variable": one.name, "information_bits": one.bits, "role": one.role or None}
            for one in self.features
        ]
        return {**self.found.as_dict(), "features": features}


def add_target_options(parser: CommandParser) -> None:
    """Files about the prediction of --target."""
    group = parser.add_argument_group(
        "predicting a target",
        "A column that the file lacks, even the target, is missing in every row.",
    )
    group.add_argument(
        "--predictions",
        metavar="OUT.csv",
        help="write the most probable state, its probability, the log-likelihood and P(state) of "
        "every row",
    )
    group.add_argument(
        "--roc", metavar="OUT.csv", help="write the ROC curve of every state against the rest"
    )
    group.add_argument(
        "--calibration", metavar="OUT.csv", help="write how often things of a probability happen"
    )


def refuse_without_target(args: argparse.Namespace) -> None:
    """These files are about a target."""
    given = [name for name in ("predictions", "roc", "calibration") if getattr(args, name)]
    if given and args.target is None:
        raise UsageError(f"--{given[0]} needs --target NAME: the variable to predict.")


def classified_rows(
    model: Model, data: DataSet, target: str, args: argparse.Namespace, line: ProgressLine
) -> Classified:
    """Predict the target in every row and write the files that were asked for."""
    from pgmstudio.core.analysis.classification import classifying
    from pgmstudio.core.analysis.classification_tables import (
        calibration_table,
        prediction_table,
        roc_table,
    )
    from pgmstudio.core.analysis.feature_selection import features_of
    from pgmstudio.core.analysis.tables import table_text
    from pgmstudio.core.execution.events import Progress
    from pgmstudio.core.io.data.spreadsheets import write_csv

    found: Classification | None = None
    for event in classifying(model, data, target):
        if isinstance(event, Progress):
            line.show(event)
        else:
            found = event
    line.clear()
    assert found is not None
    files = (
        (args.predictions, partial(prediction_table, found)),
        (args.roc, partial(roc_table, found.states, found.roc)),
        (args.calibration, partial(calibration_table, found)),
    )
    for path, table in files:
        if path is not None:
            write_csv(path, table_text(table()), quoted=args.quote_formulas)
            line.say(f"Wrote {path}.")
    return Classified(found, features_of(model, target))


def print_classified(classified: Classified) -> None:
    """Measures, the confusion matrix, the areas and the variables that tell most."""
    found = classified.found
    print(f"\nPredicting {found.target} from the other variables")
    if found.judged_weight == 0:
        print("Its state is known in no row, so predictions cannot be judged.")
    else:
        _print_measures(found)
    if found.impossible_rows:
        few = count_of(found.impossible_rows, "row")
        print(f"{few} impossible in this model: the prior of {found.target} was taken.")
    if found.zero_rows:
        few = count_of(found.zero_rows, "row")
        print(f"{few} with a true state of probability 0, hence a log loss of ∞.")
    if found.judged_weight > 0 and len(found.states) <= STATES_SHOWN:
        _print_confusion(found)
    _print_features(classified.features)


def _print_measures(found: Classification) -> None:
    error = found.accuracy.standard_error
    spread = "" if error is None else f" ± {100 * error:.1f}"
    unknown = f", {whole(found.unlabelled_rows)} without a state" if found.unlabelled_rows else ""
    print_pairs(
        [
            ("Rows judged", f"{whole(found.judged_weight)}{unknown}"),
            (
                "Accuracy",
                f"{percent(found.accuracy.value)}{spread}; the most frequent state alone: "
                f"{percent(found.majority_share)}",
            ),
            ("Soft score", f"{decimal(found.soft_score.value, 4)}, mean P(true state)"),
            ("Brier score", f"{decimal(found.brier.value, 4)}, 0 best, 2 worst"),
            ("Log loss", f"{decimal(found.log_loss.value)} bits"),
            ("Calibration error", decimal(found.calibration.error, 4)),
            ("Mean AUC", decimal(found.mean_area, 4)),
        ]
    )


def _print_confusion(found: Classification) -> None:
    print("\nTrue state down, most probable state across; AUC is each state against the rest")
    rows: list[list[str]] = []
    for state, counts, curve in zip(found.states, found.confusion, found.roc, strict=True):
        total = counts.sum()
        right = percent(counts[len(rows)] / total) if total else "–"
        rows.append([state, *map(whole, counts), right, decimal(curve.area, 4)])
    print_table(["", *found.states, "right", "AUC"], rows, "<" + ">" * (len(found.states) + 2))


def _print_features(features: tuple[Feature, ...]) -> None:
    used = [one for one in features if one.is_used]
    if not used:
        print("\nNo other variable tells anything about it.")
        return
    print(f"\nUsed for it: {count_of(len(used), 'variable')} of {whole(len(features))}")
    rows = [[one.name, decimal(one.bits, 4), one.role] for one in used[:FEATURES_SHOWN]]
    print_table(["Variable", "Bits", ""], rows, "<><")
    if len(used) > FEATURES_SHOWN:
        print(f"… and {whole(len(used) - FEATURES_SHOWN)} more")
