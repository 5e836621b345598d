"""The one door to numba: `@compiled` kernels free the GIL and are kept in numba's file cache.

Only files named `*_kernels.py` import this module, and they are imported inside the functions that
need them: numba takes longer to load than most small questions take to answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` at its first call, without the GIL, cached on disk."""
    return cast(F, numba.njit(nogil=True, cache=True)(function))


def compiled_with(**options: Any) -> Callable[[F], F]:
    """Like `compiled`, with further numba options (`fastmath`, `inline`, …)."""

    def decorate(function: F) -> F:
        return cast(F, numba.njit(nogil=True, cache=True, **options)(function))

    return decorate


def usable_in_compiled(function: F) -> F:
    """Let kernels call a plain function, which itself stays plain."""
    register_jitable(function)
    return function


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


# How many bits of a 64-bit word are set: one machine instruction, and LLVM vectorises it.
popcount: Callable[[np.uint64], np.uint64] = cast(Any, _popcount)


def _lanes(vectors: int, *, is_gathering: bool) -> Any:
    """Add `4 · vectors` numbers to each of several places, or all those places to the numbers.

    LLVM cannot know that sums and numbers never overlap, so of a plain loop it makes one that
    checks at every place; here the numbers stay in registers, which is three times as fast.
    """
    word, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), 4)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, places, numbers = (
            context.make_array(signature.args[n])(context, builder, arguments[n]).data
            for n in (0, 3, 6)
        )
        offset, width, begin, end, at, shift = (arguments[n] for n in (1, 2, 4, 5, 7, 8))

        def lane(base: Any, place: Any, number: int) -> Any:
            there = builder.add(place, ir.Constant(word, number * 4))
            return builder.bitcast(builder.gep(base, [there]), vector.as_pointer())

        own = [lane(numbers, at, n) for n in range(vectors)]
        held = [builder.load(pointer, align=8) for pointer in own]
        tools: Any = cgutils  # untyped
        kept = [tools.alloca_once_value(builder, load) for load in held] if is_gathering else []
        with tools.for_range(builder, builder.sub(end, begin)) as loop:
            place = builder.load(builder.gep(places, [builder.add(begin, loop.index)]))
            line = builder.mul(builder.add(offset, builder.zext(place, word)), width)
            first = builder.add(line, shift)
            for n in range(vectors):
                there = lane(sums, first, n)
                found = builder.load(there, align=8)
                if is_gathering:
                    builder.store(builder.fadd(builder.load(kept[n]), found), kept[n])
                else:
                    builder.store(builder.fadd(found, held[n]), there, align=8)
        for pointer, sum_ in zip(own, kept, strict=False):
            builder.store(builder.load(sum_), pointer, align=8)
        return context.get_dummy_value()

    @intrinsic
    def add(
        typing_context: Any,
        sums: Any,
        offset: Any,
        width: Any,
        places: Any,
        begin: Any,
        end: Any,
        numbers: Any,
        at: Any,
        shift: Any,
    ) -> Any:
        w = types.int64
        return types.void(sums, w, w, places, w, w, numbers, w, w), generate

    return add


# For the places[begin:end], an int32 array, and 4, 8, 12, 20 or 32 float64 numbers at a time:
# scatter: sums[(offset + place) · width + shift :] += numbers[at:]; gather: the other way.
_SIZES = (1, 2, 3, 5, 8)
scatter_4, scatter_8, scatter_12, scatter_20, scatter_32 = (
    _lanes(size, is_gathering=False) for size in _SIZES
)
gather_4, gather_8, gather_12, gather_20, gather_32 = (
    _lanes(size, is_gathering=True) for size in _SIZES
)
