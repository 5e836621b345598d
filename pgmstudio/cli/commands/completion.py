"""`pgmstudio completion`: a script that completes words in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.terminal.completion import SCRIPTS
from pgmstudio.cli.terminal.output import Block
from pgmstudio.cli.terminal.parser import CommandParser, one_of
from pgmstudio.cli.terminal.progress import ProgressLine


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "completion",
        "Print a script for the shell that completes commands, options, learners and choices.\n"
        "  bash:  pgmstudio completion bash\n"
        "             > ~/.local/share/bash-completion/completions/pgmstudio\n"
        "  zsh:   pgmstudio completion zsh > FOLDER/_pgmstudio, a folder in $fpath\n"
        "  fish:  pgmstudio completion fish > ~/.config/fish/completions/pgmstudio.fish",
    )
    parser.add_argument("shell", type=one_of(tuple(SCRIPTS)), metavar="bash|zsh|fish", help="shell")
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Script:
    return Script(args.shell)


@dataclass(frozen=True)
class Script:
    """The script of one shell."""

    shell: str
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {"shell": self.shell, "script": SCRIPTS[self.shell]}

    def blocks(self) -> Iterator[Block]:
        yield SCRIPTS[self.shell].rstrip("\n")
