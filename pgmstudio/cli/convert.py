"""`pgmstudio convert`: a model from one format to another."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio.cli.inputs import open_model
from pgmstudio.cli.output import print_json
from pgmstudio.cli.parsing import CommandParser
from pgmstudio.cli.progress import ProgressLine


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "convert", "Writes a model in another format; the file endings say which."
    )
    parser.add_argument("source", metavar="IN", help="a model file")
    parser.add_argument("target", metavar="OUT", help="the file to write")
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    file = open_model(args.source, line)

    from pgmstudio.core.io.model_files import write_model

    lost = write_model(args.target, file)
    for sentence in lost:
        line.say(sentence)
    if args.json:
        print_json({"kind": file.model.kind, "model": args.target, "lost": list(lost)})
    line.say(f"Wrote {args.target}.")
    return 0
