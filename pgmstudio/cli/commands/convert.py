"""`pgmstudio convert`: a model from one format to another, or into another language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import print_json

if TYPE_CHECKING:
    from pgmstudio.core.languages.conversions import SameDistribution


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "convert",
        "Writes a model in another format, the file endings say which; with --to, in another "
        "language with the same distribution, which is checked.",
    )
    parser.add_argument("source", metavar="IN", help="a model file")
    parser.add_argument("target", metavar="OUT", help="the file to write")
    parser.add_argument(
        "--to",
        metavar="KIND",
        help="the language: bayesian-network (a mixture gets its component as the root), tree, "
        "tree-mixture, latent-class, ldag or pdg",
    )
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    file = open_model(args.source, line)

    from pgmstudio.core.io.models.files import write_model

    checked: SameDistribution | None = None
    if args.to is not None:
        from pgmstudio.core.languages.conversions import converted, same_distribution

        before = file.model
        file = replace(file, model=converted(before, args.to))
        if file.model is not before:
            checked = same_distribution(before, file.model)
    lost = write_model(args.target, file)
    for sentence in lost:
        line.say(sentence)
    if args.json:
        told: dict[str, Any] = {"kind": file.model.kind, "model": args.target, "lost": list(lost)}
        if checked is not None:
            told["kl_bits"], told["is_kl_exact"] = checked.bits, checked.is_exact
        print_json(told)
    if checked is not None:
        line.say(checked.sentence())
    line.say(f"Wrote {args.target}.")
    return 0
