"""The one door to numba: `@compiled` kernels free the GIL and are kept in numba's file cache.

Only files named `*_kernels.py` import this module, and they are imported inside the functions that
need them: numba takes longer to load than most small questions take to answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
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
