"""Answers about an edge as sentences for people and as plain values for programs."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.experiments.edge_questions import SAME_BITS, EdgeWhy, PairTest
from pgmstudio.core.scores.edge_gains import EdgeMove

_CLEAR_BITS = 10.0  # a factor of a thousand in probability


def signed(bits: float) -> str:
    """+12.3, −4.0 and 0.0."""
    text = f"{bits:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def score_sentences(why: EdgeWhy) -> list[str]:
    """One sentence for each step on the pair and each score; gains are in bits."""
    return [_move_sentence(title, move) for title, moves in why.moves.items() for move in moves]


def _move_sentence(score: str, move: EdgeMove) -> str:
    edge = f"{move.source} → {move.target}"
    if move.gain is None:
        verb = {"add": "added", "remove": "removed", "reverse": "turned round"}[move.deed]
        if move.path:
            ring = " → ".join((*move.path, move.path[0]))
            return f"{edge} cannot be {verb}: it would close the cycle {ring}."
        return f"{edge} cannot be {verb}: its table would have too many cells."
    begin = {
        "add": f"Adding {edge}",
        "remove": f"Removing {edge}",
        "reverse": f"Turning {edge} round",
    }[move.deed]
    return f"{begin} changes {score} by {signed(move.gain)} bits: {_verdict(move)}."


def _verdict(move: EdgeMove) -> str:
    gain = move.gain or 0.0
    if abs(gain) <= SAME_BITS:
        return "no difference" if move.deed != "reverse" else "both directions say the same"
    strength = "clearly " if abs(gain) >= _CLEAR_BITS else ""
    if move.deed == "remove":
        return f"it {strength}{'earns its place' if gain < 0 else 'costs more than it tells'}"
    return f"{strength}{'better' if gain > 0 else 'worse'}"


def test_sentence(why: EdgeWhy, test: PairTest) -> str:
    """What one test found, in words."""
    given = f"Given {', '.join(test.given)}" if test.given else "On their own"
    pair = f"{why.source} and {why.target}"
    if test.outcome is None:
        return f"{given}, {pair} cannot be tested: the table would have too many cells."
    p = test.outcome.p_value
    told = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
    words = "look independent" if test.outcome.independent else "depend on each other"
    doubt = "" if test.outcome.reliable else "; few rows for such a test"
    return f"{given}, {pair} {words}: {told}, {test.outcome.bits:.4f} bits{doubt}."


def frequency_sentence(why: EdgeWhy) -> str | None:
    """What a bootstrap found; None when there is none."""
    found = why.frequency
    if found is None:
        return None
    if found.joined == 0:
        return f"None of {why.replicates} bootstrap replicates joins them."
    parts = [f"→ {found.forward:.0%}", f"← {found.backward:.0%}"]
    if found.undirected:
        parts.append(f"either way {found.undirected:.0%}")
    shares = ", ".join(parts).replace("%", " %")
    joined = f"{found.joined:.0%}".replace("%", " %")
    return f"{joined} of {why.replicates} bootstrap replicates join them ({shares})."


def sentences(why: EdgeWhy) -> list[str]:
    """Everything, in the order of the inspector."""
    told = [*score_sentences(why), *(test_sentence(why, test) for test in why.tests)]
    told += [*why.rules]
    told += filter(None, [frequency_sentence(why), why.pc])
    if why.optima is not None:
        told.append(str(why.optima))
    return told


def as_dict(why: EdgeWhy) -> dict[str, Any]:
    """For JSON; gains are in bits and higher is better."""
    told: dict[str, Any] = {
        "source": why.source,
        "target": why.target,
        "is_edge": why.is_edge,
        "moves": [
            {
                "score": title,
                "deed": move.deed,
                "from": move.source,
                "to": move.target,
                "gain": move.gain,
                "cycle": list(move.path),
            }
            for title, moves in why.moves.items()
            for move in moves
        ],
        "tests": [
            {
                "given": list(test.given),
                "p_value": test.outcome and test.outcome.p_value,
                "bits": test.outcome and test.outcome.bits,
                "reliable": test.outcome and test.outcome.reliable,
            }
            for test in why.tests
        ],
        "rules": list(why.rules),
        "sentences": sentences(why),
    }
    if why.frequency is not None:
        told["bootstrap"] = {**why.frequency.as_dict(), "replicates": why.replicates}
    if why.pc is not None:
        told["pc"] = {"why": why.pc, "tests": list(why.pc_tests)}
    if why.optima is not None:
        told["optima"] = {
            "runs": why.optima.runs,
            "joined_in": list(why.optima.joined_in),
            "optima": why.optima.optima,
            "joining_optima": why.optima.joining_optima,
            "best_joins": why.optima.best_joins,
        }
    return told
