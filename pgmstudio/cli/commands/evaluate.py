"""`pgmstudio evaluate`: how probable a model finds rows, how large it is, what it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pgmstudio.cli.commands.classification import (
    add_target_options,
    classified_rows,
    print_classified,
    refuse_without_target,
)
from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_pairs, whole
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log2-likelihood of weighted rows; −inf when a row of weight above 0 is impossible."""

    log2_likelihood: float
    per_row: float
    zero_probability_rows: int


def likelihood_of(model: Model, data: DataSet) -> Likelihood:
    """Σ w log2 P(row), missing cells summed out."""
    import numpy as np

    from pgmstudio.core.analysis.model_comparison import row_log2

    logs = row_log2(model, data)
    weights = np.ones(data.row_count) if data.weights is None else data.weights
    counted = weights > 0  # a row of weight 0 says nothing, also when it is impossible
    total = float(logs[counted] @ weights[counted])
    zero = int(np.isneginf(logs[counted]).sum())
    per_row = total / data.total_weight if data.total_weight > 0 else float("nan")
    return Likelihood(total, per_row, zero)


def write_surprises(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """A table of the rows, the least probable first: what surprises in each."""
    import numpy as np

    from pgmstudio.core.analysis.anomaly import row_surprises
    from pgmstudio.core.analysis.tables import surprise_table, table_text
    from pgmstudio.core.io.data.spreadsheets import write_csv
    from pgmstudio.core.model import ProbabilisticModel

    if not isinstance(model, ProbabilisticModel):
        raise UsageError(f"{a_kind(model.kind, 'A')} gives rows no probability; leave out --rows.")
    found = row_surprises(model, data)
    order = np.argsort(-found.row_bits, kind="stable").tolist()
    write_csv(path, table_text(surprise_table(found, order)), quoted=quoted)


def write_components(path: str, model: Model, data: DataSet, *, quoted: bool) -> None:
    """A table of all rows in their order: class or component, responsibility, entropy, shares."""
    from pgmstudio.core.analysis.cluster_assignment import (
        component_table,
        row_components,
    )
    from pgmstudio.core.analysis.tables import table_text
    from pgmstudio.core.io.data.spreadsheets import write_csv
    from pgmstudio.core.languages.latent_class.model import LatentClasses
    from pgmstudio.core.languages.tree_mixture.model import TreeMixture

    if not isinstance(model, TreeMixture | LatentClasses):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no classes or components; leave out --assign."
        )
    found = component_table(row_components(model, data), model.component_title)
    write_csv(path, table_text(found), quoted=quoted)


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "evaluate",
        "Log-likelihood of the rows in bits, base 2; missing cells are summed out. And sizes. "
        "With --target, how well the model predicts that variable from the others.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="a data file with the model's variables")
    parser.add_argument(
        "--rows",
        metavar="OUT.csv",
        help="write log2 P(row) and the least expected variable of every row, the most "
        "surprising row first",
    )
    parser.add_argument(
        "--assign",
        metavar="OUT.csv",
        help="write the class or component of every row of a mixture, its responsibility and "
        "entropy; rows with missing cells too",
    )
    add_data_options(parser, "the variable to predict from the others; see predicting a target")
    add_target_options(parser)
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    refuse_without_target(args)
    line = ProgressLine(quiet=args.quiet)
    model = open_model(args.model, line).model
    target = None if args.target is None else model.domain[args.target].name
    data = read_rows_for(model, args.data, args, line, may_lack_columns=target is not None)
    found = likelihood_of(model, data)
    if args.rows is not None:
        write_surprises(args.rows, model, data, quoted=args.quote_formulas)
        line.say(f"Wrote {count_of(data.row_count, 'row')} to {args.rows}.")
    if args.assign is not None:
        write_components(args.assign, model, data, quoted=args.quote_formulas)
        line.say(f"Assigned {count_of(data.row_count, 'row')} in {args.assign}.")
    classified = None if target is None else classified_rows(model, data, target, args, line)
    if args.json:
        facts = {
            "kind": model.kind,
            "rows": data.row_count,
            "log2_likelihood": found.log2_likelihood,
            "log2_likelihood_per_row": found.per_row,
            "zero_probability_rows": found.zero_probability_rows,
            "representation_size": model.representation_size(),
            "effective_size": model.effective_size(),
        }
        if classified is not None:
            facts["classification"] = classified.as_dict()
        print_json(facts)
        return 0
    pairs = [
        ("Model", f"{model.kind}, {count_of(len(model.domain), 'variable')}"),
        ("Rows", whole(data.row_count)),
        ("Log-likelihood", f"{decimal(found.log2_likelihood)} bits"),
        ("Per row", f"{decimal(found.per_row)} bits"),
        ("Free parameters", whole(model.representation_size())),
        ("Effective size", whole(model.effective_size())),
    ]
    if data.weights is not None:
        pairs.insert(2, ("Total weight", decimal(data.total_weight, 0)))
    print_pairs(pairs)
    if found.zero_probability_rows:
        few = count_of(found.zero_probability_rows, "row")
        print(f"{few} impossible in this model, hence −∞; smoothing the tables avoids it.")
    if classified is not None:
        print_classified(classified)
    return 0
