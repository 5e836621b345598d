"""The only use of numba: `@compiled` kernels release the GIL and are cached on disk.

Only files named `*_kernels.py` import this module, and they are imported inside the functions that
need them: numba takes longer to load than most small questions take to answer.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, event, types
from numba.extending import intrinsic, register_jitable

from pgmstudio.core.execution.events import CLOCK

F = TypeVar("F", bound=Callable[..., Any])


def _spare_linear_algebra() -> None:
    """Let numba load without asking whether scipy has a BLAS: to answer, all of scipy.linalg would
    be loaded, a third of what a process needs to be ready. It has; a kernel that multiplied
    matrices would load it when it is compiled."""
    from numba.np import linalg

    asked = getattr(linalg, "ensure_blas", None)
    if asked is None:  # another numba, which loads what it wants
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401, which asks
    finally:
        linalg.ensure_blas = asked


_spare_linear_algebra()


class _Compiling(event.Listener):
    """While numba compiles, the clock of time limits stands still, and so does the garbage
    collector: what the compiler makes stays until it is done, and looking through it takes a tenth
    of the time. The result is cached on disk."""

    def __init__(self) -> None:
        self._depth = 0  # compiled code may call for more to be compiled
        self._collects = False

    def on_start(self, started: Any) -> None:
        if self._depth == 0:
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1
        CLOCK.pause()

    def on_end(self, ended: Any) -> None:
        CLOCK.resume()
        self._depth -= 1
        if self._depth == 0 and self._collects:
            gc.enable()


cast(Any, event).register("numba:compile", _Compiling())


def compiled(function: F) -> F:
    """Compile `function` at its first call, without the GIL, cached on disk."""
    return compiled_with()(function)


def compiled_with(**options: Any) -> Callable[[F], F]:
    """Like `compiled`, with further numba options (`fastmath`, `inline`, …)."""

    def decorate(function: F) -> F:
        # Nobody calls kernels from C.
        njit: Any = numba.njit  # its types know only some of the options
        made = njit(nogil=True, cache=True, no_cfunc_wrapper=True, **options)(function)
        prepare = made.compile

        def compile_or_load(signature: Any) -> Any:
            """Reading from the disk and writing to it do not count against time limits either."""
            with CLOCK.paused():
                return prepare(signature)

        made.compile = compile_or_load
        template_for = made.get_call_template
        made.get_call_template = lambda args, kws: template_for(
            tuple(map(_usual_type, args)), {name: _usual_type(kws[name]) for name in kws}
        )
        return cast(F, made)

    return decorate


def _usual_type(given: Any) -> Any:
    """The type with which a kernel is called by another one: a whole number or a flag is that,
    whether it is written there or small.

    Numba would compile the called kernel for each of them: 0, 2, a 32-bit number, any number.
    """
    kinds: Any = types  # untyped
    plain = kinds.unliteral(given)
    is_small = isinstance(plain, kinds.Integer) and plain.signed and plain.bitwidth < 64
    return kinds.int64 if is_small else plain


def usable_in_compiled(function: F) -> F:
    """Let kernels call a plain function, which itself stays plain."""
    register_jitable(function)
    return function


def load_ahead() -> None:
    """Load the rest of numba, for which the first kernel that is called would wait."""
    compiled(_same)(0)


def _same(number: int) -> int:
    return number


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


# How many bits of a 64-bit word are set: one machine instruction, and LLVM vectorises it.
popcount: Callable[[np.uint64], np.uint64] = cast(Any, _popcount)


# So many numbers at a time are added: as many vectors of four as fit the registers, or fewer.
PIECES = (32, 20, 12, 8, 4)


def _lanes(*, is_gathering: bool) -> Any:
    """Add `piece` numbers, of PIECES, to each of several positions, or the values at those
    positions to them.

    LLVM cannot know that sums and numbers never overlap, so of a plain loop it makes one that
    checks at every position; here the numbers stay in registers, which is three times as fast.
    """
    word, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), 4)
    tools: Any = cgutils  # untyped

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, positions, numbers = (
            context.make_array(signature.args[n])(context, builder, arguments[n]).data
            for n in (0, 3, 6)
        )
        offset, width, begin, end, at, shift, piece = (arguments[n] for n in (1, 2, 4, 5, 7, 8, 9))

        def lane(base: Any, position: Any, number: int) -> Any:
            there = builder.add(position, ir.Constant(word, number * 4))
            return builder.bitcast(builder.gep(base, [there]), vector.as_pointer())

        def add_vectors(vectors: int) -> None:
            own = [lane(numbers, at, n) for n in range(vectors)]
            held = [builder.load(pointer, align=8) for pointer in own]
            kept = [tools.alloca_once_value(builder, load) for load in held] if is_gathering else []
            with tools.for_range(builder, builder.sub(end, begin)) as loop:
                position = builder.load(builder.gep(positions, [builder.add(begin, loop.index)]))
                line = builder.mul(builder.add(offset, builder.zext(position, word)), width)
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

        for size in PIECES:
            with builder.if_then(builder.icmp_signed("==", piece, ir.Constant(word, size))):
                add_vectors(size // 4)
        return context.get_dummy_value()

    @intrinsic
    def add(
        typing_context: Any,
        sums: Any,
        offset: Any,
        width: Any,
        positions: Any,
        begin: Any,
        end: Any,
        numbers: Any,
        at: Any,
        shift: Any,
        piece: Any,
    ) -> Any:
        w = types.int64
        return types.void(sums, w, w, positions, w, w, numbers, w, w, w), generate

    return add


# For the places[begin:end], an int32 array, and a piece of so many float64 numbers:
# scatter: sums[(offset + place) · width + shift :] += numbers[at:]; gather: the other way.
scatter_piece = _lanes(is_gathering=False)
gather_piece = _lanes(is_gathering=True)


@intrinsic
def _add_where(
    typing_context: Any,
    words: Any,
    firsts: Any,
    seconds: Any,
    terms: Any,
    begin: Any,
    end: Any,
    sums: Any,
) -> Any:
    """Keeps 64 sums in registers; a byte of a word chooses among 8 of them, one masked addition."""
    word, byte, vector = ir.IntType(64), ir.IntType(8), ir.VectorType(ir.DoubleType(), 8)
    mask = ir.VectorType(ir.IntType(1), 8)
    tools: Any = cgutils  # untyped

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits, one_of, other_of, added, found = (
            context.make_array(signature.args[n])(context, builder, arguments[n]).data
            for n in (0, 1, 2, 3, 6)
        )
        octets = builder.bitcast(bits, byte.as_pointer())

        def number(at: int) -> Any:
            return ir.Constant(word, at)

        def spread(value: Any) -> Any:
            empty = ir.Constant(vector, ir.Undefined)
            single = builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
            return builder.shuffle_vector(single, empty, lanes)

        def chosen(position: Any, part: int) -> Any:
            at = builder.add(builder.shl(position, number(3)), number(part))
            return builder.bitcast(builder.load(builder.gep(octets, [at])), mask)

        own = [
            builder.bitcast(builder.gep(found, [number(8 * part)]), vector.as_pointer())
            for part in range(8)
        ]
        kept = [tools.alloca_once_value(builder, builder.load(at, align=8)) for at in own]
        with tools.for_range(builder, builder.sub(arguments[5], arguments[4])) as loop:
            at = builder.add(arguments[4], loop.index)
            one, other = (
                builder.zext(builder.load(builder.gep(positions, [at])), word)
                for positions in (one_of, other_of)
            )
            twice = builder.shl(at, number(1))
            alone, both = (
                spread(builder.load(builder.gep(added, [builder.add(twice, number(n))])))
                for n in (0, 1)
            )
            for part in range(8):
                before = builder.load(kept[part])
                term = builder.select(chosen(other, part), both, alone)
                after = builder.fadd(before, term)
                after = builder.select(chosen(one, part), after, before)
                builder.store(after, kept[part])
        for at, sums_of_eight in zip(own, kept, strict=True):
            builder.store(builder.load(sums_of_eight), at, align=8)
        return context.get_dummy_value()

    w = types.int64
    return types.void(words, firsts, seconds, terms, w, w, sums), generate


# For e = begin … end − 1 and every r < 64 where bit r of words[firsts[e]] is set:
# sums[r] += terms[2e + 1] where bit r of words[seconds[e]] is set too, else terms[2e].
add_where: Callable[..., None] = cast(Any, _add_where)
