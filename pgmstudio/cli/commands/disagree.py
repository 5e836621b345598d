"""`pgmstudio disagree`: the same evidence in several models, the largest disagreements first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgmstudio.cli.commands.compare import model_names
from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from, finding_json
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import bar, decimal, percent, print_json, print_table
from pgmstudio.core.analysis.disagreement import (
    Disagreement,
    Measure,
    ModelAnswer,
    answer_of,
    disagreement_csv,
    disagreement_json,
    disagreements,
)
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.inference.base import Finding, scaling_note
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.model import Model

_MEASURES: Mapping[str, Measure] = {"tv": "total variation", "kl": "relative entropy"}


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "disagree",
        "The same evidence in several models: P(evidence) and beliefs of each side by side, the\n"
        "variables about which they disagree most first.",
    )
    parser.add_argument("models", metavar="MODEL", nargs="+", help="model files")
    add_evidence_options(parser)
    parser.add_argument(
        "--by",
        type=one_of(tuple(_MEASURES)),
        default="tv",
        metavar="tv|kl",
        help="total variation ½Σ|p − q| (default), or relative entropy in bits",
    )
    parser.add_argument(
        "--most",
        type=whole_number(1),
        default=5,
        metavar="N",
        help="how many variables are shown with their beliefs (default 5)",
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write all beliefs as a table")
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    if len(args.models) < 2:
        raise UsageError("Two models at least are needed to disagree.")
    line = ProgressLine(quiet=args.quiet)
    models = {
        name: open_model(path, line).model
        for name, path in zip(model_names(args.models), args.models, strict=True)
    }
    evidence = evidence_from(joint_domain(models), args.given, args.excluded, args.soft, args.done)
    measure = _MEASURES[args.by]
    answers = [answer_of(name, model, evidence) for name, model in models.items()]
    found = disagreements(answers, measure)
    if args.csv is not None:
        write_csv(args.csv, disagreement_csv(answers, found), quoted=args.quote_formulas)
    if args.json:
        told = {name: finding_json(finding) for name, finding in evidence.items()}
        print_json({"evidence": told, **disagreement_json(answers, found, measure)})
    else:
        _print(evidence, answers, found, measure, args.most)
    return 0


def joint_domain(models: Mapping[str, Model]) -> Domain:
    """Every variable that a model has, with every state it has anywhere."""
    states: dict[str, dict[str, None]] = {}
    for model in models.values():
        for variable in model.domain:
            states.setdefault(variable.name, {}).update(dict.fromkeys(variable.states))
    return Domain(tuple(Variable(name, tuple(known)) for name, known in states.items()))


def _print(
    evidence: Mapping[str, Finding],
    answers: Sequence[ModelAnswer],
    found: Sequence[Disagreement],
    measure: Measure,
    most: int,
) -> None:
    for name, finding in evidence.items():
        print(f"{name} {finding}")
    rows = []
    for one in answers:
        log2 = one.log2_evidence
        told = "" if log2 is None else f"{2.0**log2:.4g}"
        rows.append(
            (one.name, told, decimal(log2), "; ".join(filter(None, [*one.left_out, one.problem])))
        )
    print_table(("Model", "P(evidence)", "Bits", ""), rows, "<>><")
    if note := scaling_note(evidence):
        print(note)
    print(f"\nLargest disagreements by {measure}")
    units = {"total variation": "", "relative entropy": " bits"}
    for each in found[:most]:
        far = each.distances.get(measure)
        told = "nothing to compare"
        if far is not None:
            told = f"{decimal(far.value)}{units[measure]}, {far.between[0]} and {far.between[1]}"
        print(f"\n{each.variable}: {told}")
        wide = max(len(name) for name in [*each.beliefs, ""])
        for place, state in enumerate(each.states):
            print(f"  {state}")
            for name, values in each.beliefs.items():
                value = values[place]
                shown = "–" if value is None else f"{bar(value)} {percent(value):>8}"
                print(f"    {name:<{wide}}  {shown}")
        for name, reason in each.lacking.items():
            print(f"    {name}: {reason}")
