"""`pgmstudio learners`: every learner with its parameters."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

from pgmstudio.cli.options.parameters import range_of, spec_json
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.tables import print_json
from pgmstudio.core.params import specs_of


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "learners", "Every learner: key, title, model kind and parameters with their bounds."
    )
    parser.add_json()
    args = parser.parse(words)
    from pgmstudio.core.languages.learners import all_learners, plugin_problems

    learners = all_learners().values()
    for problem in plugin_problems():
        print(problem, file=sys.stderr)
    if args.json:
        print_json(
            {
                "learners": [
                    {
                        "key": learner.key,
                        "title": learner.title,
                        "kind": learner.kind,
                        "parameters": [spec_json(spec) for spec in specs_of(learner.params_type)],
                    }
                    for learner in learners
                ]
            }
        )
        return 0
    for number, learner in enumerate(learners):
        print(f"{'' if number == 0 else chr(10)}{learner.key}  {learner.title} ({learner.kind})")
        for spec in specs_of(learner.params_type):
            text = f"{spec.help} ({range_of(spec)})"
            wrapped = textwrap.wrap(text, width=68)
            print(f"    --{spec.option:<20} {wrapped[0]}")
            for line in wrapped[1:]:
                print(" " * 27 + line)
    return 0
