"""Completion of words on the command line, for bash, zsh and fish.

The scripts of the shells ask the program itself (`pgmstudio --complete WORDS…`), as the options of
a command depend on the learner that is named; where it has no answer, the shell offers files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.core.errors import PgmStudioError

_BASH = r"""_pgmstudio() {
    local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
    local found="$(pgmstudio --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
    COMPREPLY=($(compgen -W "$found" -- "$word"))
}
complete -o default -F _pgmstudio pgmstudio
"""
_ZSH = r"""#compdef pgmstudio
_pgmstudio() {
    local -a found
    found=("${(@f)$(pgmstudio --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _pgmstudio pgmstudio
"""
_FISH = r"""function __pgmstudio_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l found (pgmstudio --complete $before (commandline -ct) 2>/dev/null)
    if test -n "$found"
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c pgmstudio -f -a '(__pgmstudio_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completions(words: Sequence[str]) -> list[str]:
    """What the last of the words after `pgmstudio` can become; nothing where it is a file."""
    *before, word = words or [""]
    if word == "=":  # a word of its own in bash, in `--score=b`
        word = ""
    elif before and before[-1] == "=":
        before.pop()
    option, is_given, value = word.partition("=")
    if option.startswith("--") and is_given:
        return [f"{option}={one}" for one in completions([*before, option, value])]
    start, comma, last = word.rpartition(",")
    if comma:
        used = start.split(",")
        return [f"{start},{one}" for one in completions([*before, last]) if one not in used]
    if not before:
        return _starting(word, (*COMMANDS, "--help", "--version"))
    command = COMMANDS.get(before[0].lower())
    if command is None:
        return _starting(word, COMMANDS) if before[0] in ("help", "--help") else []
    if len(before) == 1 and not word.startswith("-"):
        return _starting(word, _first_arguments(command.name))
    try:
        parser = command.load().make_parser(before[1:])
    except (PgmStudioError, SystemExit):  # no learner or generator is named yet
        return []
    if word.startswith("-"):
        return _starting(word, parser.options())
    return _starting(word, parser.choices_of(before[-1]) or _learners_of(before[-1]))


def _first_arguments(command: str) -> Iterable[str]:
    """The names with which a command begins."""
    match command:
        case "learn" | "learners" | "bootstrap":
            return _learners_of("--learners")
        case "generate":
            from pgmstudio.core.experiments.generators.registry import GENERATORS

            return GENERATORS
        case "completion":
            return SCRIPTS
    return ()


def _learners_of(option: str) -> Iterable[str]:
    if option != "--learners":
        return ()
    from pgmstudio.core.languages.learners import ALIASES, learner_keys

    return (*learner_keys(), *ALIASES)


def _starting(word: str, known: Iterable[str]) -> list[str]:
    return sorted({one for one in known if one.startswith(word)})
