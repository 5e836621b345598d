"""`pgmstudio evaluate`: log-likelihood of rows, sizes of the model, and its predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.output import Block, Fields, Table, count_of, decimal, percent, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.anomaly import row_surprises
from pgmstudio.core.analysis.classification import (
    calibration_table,
    classifying,
    prediction_table,
    roc_table,
)
from pgmstudio.core.analysis.cluster_assignment import component_table, row_components
from pgmstudio.core.analysis.family_scores import SCORES, GraphScores, graph_scores
from pgmstudio.core.analysis.feature_selection import features_of
from pgmstudio.core.analysis.model_comparison import Likelihood, likelihood_of
from pgmstudio.core.analysis.tables import surprise_table, table_text
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind, language_of, no_likelihood_reason
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.number_format import measure_title

if TYPE_CHECKING:
    from pgmstudio.core.analysis.classification import Classification
    from pgmstudio.core.analysis.feature_selection import Feature


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "evaluate",
        "Compute the log-likelihood of the rows in bits (base 2, missing cells summed out) and\n"
        "the sizes of the model. With --target, predict that variable from the others. Of models\n"
        "without probabilities: the tuples, or degrees, that they add to those of the data.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument("data", metavar="DATA", help="data file with the model's variables")
    parser.add_argument(
        "--rows",
        metavar="OUT.csv",
        help="write log2 P(row) and the least expected variable of every row, the least probable "
        "row first",
    )
    parser.add_argument(
        "--assign",
        metavar="OUT.csv",
        help="write the class or component of every row of a mixture, its responsibility and "
        "entropy; also of rows with missing cells",
    )
    parser.add_argument(
        "--scores",
        action="store_true",
        help="list the scores of a directed graph on the rows, for each variable and in all: K2, "
        "BDeu, BIC, AIC, description length, log-likelihood (bits) and the KL divergence (bits "
        "per row); in all also BIC with the effective size (experimental)",
    )
    add_data_options(parser, "variable to predict from the others; see predicting a target")
    add_target_options(parser)
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Evaluation | Agreement:
    check_target_options(args)
    model = open_model(args.model, line).model
    target = None if args.target is None else model.domain[args.target].name
    data = read_rows_for(model, args.data, args, line, may_lack_columns=target is not None)
    measured = language_of(model).fit_measures
    if measured is not None and no_likelihood_reason(model.kind):
        if target is not None or args.rows is not None or args.assign is not None or args.scores:
            raise UsageError(
                f"{a_kind(model.kind, 'A')} gives rows no probability; leave out --target, --rows, "
                "--assign and --scores."
            )
        return Agreement(model, data, measured.load()(model, data))
    likelihood = likelihood_of(model, data)
    network = as_network(model) if args.scores else None
    if args.scores and network is None:
        raise UsageError(f"{a_kind(model.kind, 'A')} has no directed graph; leave out --scores.")
    scores = None if network is None else graph_scores(network.dag, data)
    if args.rows is not None:
        write_row_table(args.rows, model, data, quoted=args.quote_formulas)
        line.message(f"Wrote {count_of(data.row_count, 'row')} to {args.rows}.")
    if args.assign is not None:
        write_components(args.assign, model, data, quoted=args.quote_formulas)
        line.message(f"Assigned {count_of(data.row_count, 'row')} in {args.assign}.")
    classification = None if target is None else classify_rows(model, data, target, args, line)
    return Evaluation(model, data, likelihood, classification, scores)


def write_row_table(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """Write log2 P(row) and the least expected variable, the least probable row first."""
    if not isinstance(model, ProbabilisticModel):
        raise UsageError(f"{a_kind(model.kind, 'A')} gives rows no probability; leave out --rows.")
    surprises = row_surprises(model, data)
    order = np.argsort(-surprises.row_bits, kind="stable").tolist()
    write_csv(path, table_text(surprise_table(surprises, order)), quoted=quoted)


def write_components(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """Write class or component, responsibilities and entropy of all rows in their order."""
    if not isinstance(model, ComponentModel):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no classes or components; leave out --assign."
        )
    table = component_table(row_components(model, data), model.component_title)
    write_csv(path, table_text(table), quoted=quoted)


@dataclass(frozen=True, eq=False)
class Agreement:
    """How well a model without probabilities agrees with the rows, and its sizes."""

    model: Model
    data: DataSet
    measures: Mapping[str, float]
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "kind": self.model.kind,
            "rows": self.data.row_count,
            **self.measures,
            "representation_size": self.model.representation_size(),
            "effective_size": self.model.effective_size(),
        }

    def blocks(self) -> Iterator[Block]:
        pairs = [
            ("Model", f"{self.model.kind}, {count_of(len(self.model.domain), 'variable')}"),
            ("Rows", whole(self.data.row_count)),
        ]
        pairs += [
            (
                measure_title(name),
                whole(value) if value.is_integer() else decimal(value),
            )
            for name, value in self.measures.items()
        ]
        pairs.append(("Effective size", whole(self.model.effective_size())))
        yield Fields(pairs)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The likelihood of the rows and the sizes of the model."""

    model: Model
    data: DataSet
    likelihood: Likelihood
    classification: ClassificationReport | None
    scores: GraphScores | None = None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "kind": self.model.kind,
            "rows": self.data.row_count,
            "log2_likelihood": self.likelihood.log2_likelihood,
            "log2_likelihood_per_row": self.likelihood.per_row,
            "zero_probability_rows": self.likelihood.zero_probability_rows,
            "representation_size": self.model.representation_size(),
            "effective_size": self.model.effective_size(),
        }
        if self.classification is not None:
            document["classification"] = self.classification.as_dict()
        if self.scores is not None:
            document["scores"] = {
                "rows": self.scores.rows,
                "total": self.scores.total,
                "bic_effective": self.scores.bic_effective(self.model.effective_size()),
                "variables": [
                    {"name": one.variable, "parents": list(one.parents), **one.scores}
                    for one in self.scores.families
                ],
            }
        return document

    def blocks(self) -> Iterator[Block]:
        model = self.model
        pairs = [
            ("Model", f"{model.kind}, {count_of(len(model.domain), 'variable')}"),
            ("Rows", whole(self.data.row_count)),
            ("Log-likelihood", f"{decimal(self.likelihood.log2_likelihood)} bits"),
            ("Per row", f"{decimal(self.likelihood.per_row)} bits"),
            (language_of(model).size_title, whole(model.representation_size())),
            ("Effective size", whole(model.effective_size())),
        ]
        if self.data.weights is not None:
            pairs.insert(2, ("Total weight", decimal(self.data.total_weight, 0)))
        yield Fields(pairs)
        if self.likelihood.zero_probability_rows:
            impossible = count_of(self.likelihood.zero_probability_rows, "row")
            yield f"{impossible} with probability 0, hence -inf; smooth the tables to avoid it."
        if self.scores is not None:
            yield f"\nScores on {count_of(self.scores.rows, 'complete row')}, in bits"
            head = ["Variable", *SCORES.values()]
            lines = [(one.variable, one.scores) for one in self.scores.families]
            rows = [
                [name, *(decimal(scores[key]) for key in SCORES)]
                for name, scores in (*lines, ("in all", self.scores.total))
            ]
            yield Table(head, rows, "<" + ">" * len(SCORES))
            by_cells = self.scores.bic_effective(model.effective_size())
            yield f"BIC with the effective size, experimental: {decimal(by_cells)} bits"
        if self.classification is not None:
            yield from self.classification.blocks()


MAX_FEATURES_SHOWN = 12
MAX_STATES_SHOWN = 20


def add_target_options(parser: CommandParser) -> None:
    """Add the options for files with predictions of --target."""
    group = parser.add_argument_group(
        "predicting a target",
        "A column that is not in the file, even the target, is missing in every row.",
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
        "--calibration",
        metavar="OUT.csv",
        help="write the calibration: predicted probabilities and observed frequencies",
    )


def check_target_options(args: argparse.Namespace) -> None:
    """UsageError for files of predictions without a target."""
    given = [name for name in ("predictions", "roc", "calibration") if getattr(args, name)]
    if given and args.target is None:
        raise UsageError(f"--{given[0]} needs --target NAME: the variable to predict.")


def classify_rows(
    model: Model, data: DataSet, target: str, args: argparse.Namespace, line: ProgressLine
) -> ClassificationReport:
    """Predict the target in every row and write the requested files."""
    result: Classification | None = None
    for event in classifying(model, data, target):
        if isinstance(event, Progress):
            line.show(event)
        else:
            result = event
    line.clear()
    assert result is not None
    files = (
        (args.predictions, partial(prediction_table, result)),
        (args.roc, partial(roc_table, result.states, result.roc)),
        (args.calibration, partial(calibration_table, result)),
    )
    for path, table in files:
        if path is not None:
            write_csv(path, table_text(table()), quoted=args.quote_formulas)
            line.message(f"Wrote {path}.")
    return ClassificationReport(result, features_of(model, target))


@dataclass(frozen=True, eq=False)
class ClassificationReport:
    """Measures of the predictions, and the variables that they depend on."""

    result: Classification
    features: tuple[Feature, ...]

    def as_dict(self) -> Mapping[str, Any]:
        features = [
            {"variable": one.name, "information_bits": one.bits, "role": one.role or None}
            for one in self.features
        ]
        return {**self.result.as_dict(), "features": features}

    def blocks(self) -> Iterator[Block]:
        """Measures, the confusion matrix with AUC, and the most informative variables."""
        result = self.result
        yield f"\nPredicting {result.target} from the other variables"
        if result.judged_weight == 0:
            yield "Its state is known in no row, so predictions cannot be judged."
        else:
            yield self._measures()
        if result.impossible_rows:
            rows = count_of(result.impossible_rows, "row")
            yield f"{rows} impossible in this model: the prior of {result.target} was used."
        if result.zero_rows:
            rows = count_of(result.zero_rows, "row")
            yield f"{rows} with a true state of probability 0, hence an infinite log loss."
        if result.judged_weight > 0 and len(result.states) <= MAX_STATES_SHOWN:
            yield "\nRows: true state; columns: most probable state; AUC: state against the rest"
            yield self._confusion()
        yield from self._feature_blocks()

    def _measures(self) -> Fields:
        result = self.result
        error = result.accuracy.standard_error
        spread = "" if error is None else f" ± {100 * error:.1f}"
        unknown = ""
        if result.unlabelled_rows:
            unknown = f", {whole(result.unlabelled_rows)} without a state"
        return Fields(
            [
                ("Rows judged", f"{whole(result.judged_weight)}{unknown}"),
                (
                    "Accuracy",
                    f"{percent(result.accuracy.value)}{spread}; the most frequent state alone: "
                    f"{percent(result.majority_share)}",
                ),
                ("Soft score", f"{decimal(result.soft_score.value, 4)}, mean P(true state)"),
                ("Brier score", f"{decimal(result.brier.value, 4)}, 0 best, 2 worst"),
                ("Log loss", f"{decimal(result.log_loss.value)} bits"),
                ("Calibration error", decimal(result.calibration.error, 4)),
                ("Mean AUC", decimal(result.mean_area, 4)),
            ]
        )

    def _confusion(self) -> Table:
        result = self.result
        rows: list[list[str]] = []
        for state, counts, curve in zip(result.states, result.confusion, result.roc, strict=True):
            total = counts.sum()
            right = percent(counts[len(rows)] / total) if total else "-"
            rows.append([state, *map(whole, counts), right, decimal(curve.area, 4)])
        header = ["", *result.states, "right", "AUC"]
        return Table(header, rows, "<" + ">" * (len(header) - 1))

    def _feature_blocks(self) -> Iterator[Block]:
        used = [one for one in self.features if one.is_used]
        if not used:
            yield "\nNo other variable is informative about it."
            return
        yield f"\nUsed for it: {count_of(len(used), 'variable')} of {whole(len(self.features))}"
        rows = [[one.name, decimal(one.bits, 4), one.role] for one in used[:MAX_FEATURES_SHOWN]]
        yield Table(["Variable", "Bits", ""], rows, "<><")
        if len(used) > MAX_FEATURES_SHOWN:
            yield f"… and {whole(len(used) - MAX_FEATURES_SHOWN)} more"
