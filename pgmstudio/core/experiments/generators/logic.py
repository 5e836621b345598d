"""Parity and the logic data sets (Nielsen 2007, Example 3.11 and §4.5.2).

Every row that satisfies the definitions is equally probable, every other row impossible, so the
entropy is the number of free inputs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.experiments.generators.generator import Generator, binary_table
from pgmstudio.core.params import param


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityParams:
    variables: int = param(
        5, title="Variables", low=2, high=250, help="Bits; the last makes the number of ones even."
    )


def parity(params: ParityParams, rng: np.random.Generator, count: int) -> DataSet:
    """P(x) = 2^−(n−1) where the number of ones is even, else 0; entropy n−1 bits."""
    free = rng.integers(0, 2, size=(params.variables - 1, count), dtype=np.uint8)
    last = free.sum(axis=0) % 2
    names = [f"X{number + 1}" for number in range(params.variables)]
    return binary_table(names, [*free, last])


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicParams:
    """The logic data sets have nothing to choose."""


def logic1(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Fair A, B, E, H; C = A∨B, D = A∧B, F = D⊕E, G = ¬C, I = ¬(F∨H), J = ¬(F∧H); 4 bits."""
    a, b, e, h = rng.integers(0, 2, size=(4, count)).astype(bool)
    c, d = a | b, a & b
    f = d ^ e
    columns = [a, b, c, d, e, f, ~c, h, ~(f | h), ~(f & h)]
    return binary_table(list("ABCDEFGHIJ"), columns)


def logic2(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Parity of five bits; 4 bits."""
    return parity(ParityParams(variables=5), rng, count)


def logic3(params: LogicParams, rng: np.random.Generator, count: int) -> DataSet:
    """Fair X0…X6, H = 1 when two neighbours are both 1; 7 bits."""
    bits = rng.integers(0, 2, size=(7, count)).astype(bool)
    neighbours = (bits[:-1] & bits[1:]).any(axis=0)
    return binary_table([*(f"X{i}" for i in range(7)), "H"], [*bits, neighbours])


LOGIC_GENERATORS = (
    Generator("parity", "Parity", "Bits whose number of ones is even.", ParityParams, parity),
    Generator(
        "logic1", "Logic 1", "Ten bits of a circuit with four fair inputs.", LogicParams, logic1
    ),
    Generator("logic2", "Logic 2", "Parity of five bits.", LogicParams, logic2),
    Generator(
        "logic3",
        "Logic 3",
        "Seven fair bits and whether two neighbours are both 1.",
        LogicParams,
        logic3,
    ),
)
