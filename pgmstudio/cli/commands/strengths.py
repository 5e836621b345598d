"""`pgmstudio strengths`: how much the rows say for each edge of a model."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table
from pgmstudio.core.analysis.edge_strength import link_strengths
from pgmstudio.core.analysis.feature_selection import p_words
from pgmstudio.core.languages.structures import dag_of


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "strengths",
        "What the rows say for each edge: what its ends tell about each other in bits, what it\n"
        "adds to the other parents, the p-value of that, and what BIC would lose without it\n"
        "(bits; below 0 it costs more than it tells). The weakest first.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file with edges")
    parser.add_argument("data", metavar="DATA", help="the rows to ask")
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    model = open_model(args.model, line).model
    dag = dag_of(model)
    data = read_rows_for(model, args.data, args, line)
    found = link_strengths(dag, data)
    if args.json:
        edges = [
            {
                "from": link.source,
                "to": link.target,
                "information_bits": None if link.alone is None else link.information_bits,
                "added_bits": None if link.given_parents is None else link.added_bits,
                "p_value": None if link.given_parents is None else link.p_value,
                "bic_gain": link.bic_gain,
            }
            for link in found
        ]
        print_json({"rows": data.row_count, "edges": edges})
        return 0
    print_table(
        ("Edge", "I, bits", "added, bits", "p", "Δ BIC, bits"),
        [
            (
                f"{link.source} → {link.target}",
                "–" if link.alone is None else decimal(link.information_bits),
                "–" if link.given_parents is None else decimal(link.added_bits),
                "–" if link.given_parents is None else p_words(link.p_value),
                decimal(link.bic_gain, 1),
            )
            for link in found
        ],
        "<>>>>",
    )
    if not found:
        print(f"The model has no edges; it has {count_of(len(model.domain), 'variable')}.")
    return 0
