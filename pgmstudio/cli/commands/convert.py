"""`pgmstudio convert`: a model in another file format or another language."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pgmstudio.cli.options.data import (
    add_output_file,
    open_model,
    save_model,
)
from pgmstudio.cli.terminal.output import FilesWritten
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.languages.conversions import converted, same_distribution


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "convert",
        "Write a model in the format of the file ending; with --to, in another language with the\n"
        "same distribution, which is checked.",
    )
    parser.add_argument("source", metavar="IN", help="model file")
    add_output_file(parser, "OUT")
    parser.add_argument(
        "--to",
        metavar="KIND",
        help="convert to this language: bayesian-network (a mixture gets its component as the "
        "root), tree, tree-mixture, latent-class, ldag, pdg or markov-network (the moral graph of "
        "a network)",
    )
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    file = open_model(args.source, line)
    before = file.model
    after = before if args.to is None else converted(before, args.to)
    lost = save_model(args.output, replace(file, model=after), line)
    document: dict[str, Any] = {"kind": after.kind, "model": args.output, "lost": list(lost)}
    if after is not before:
        check = same_distribution(before, after)
        document["kl_bits"] = check.bits
        document["is_kl_exact"] = check.is_exact
        line.message(check.message())
    line.message(f"Wrote {spoken(args.output)}.")
    return FilesWritten(document)
