"""The program by which a page infers, with a forecast of its size."""

from __future__ import annotations

from pgmstudio.core.errors import PgmStudioError, TooLargeError
from pgmstudio.core.inference.programs import InferenceProgram
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, language_of
from pgmstudio.core.large_counts import count_text, in_units
from pgmstudio.core.model import Model

MAX_CELLS = 2_000_000  # a click then takes about a tenth of a second on a laptop
MAX_BYTES = 30_000_000  # what people still send by mail
BYTES_PER_NUMBER = 20  # a probability with all digits


def program_of(model: Model) -> InferenceProgram:
    """Exact inference in the model as plain numbers.

    TooLargeError if the page would be slow or large; PgmStudioError if the language has none.
    """
    program = _program(model)
    if program.cells > MAX_CELLS:
        raise TooLargeError(
            f"Every click in the page would update {count_text(program.cells)} table cells; "
            f"{MAX_CELLS:,} are possible. Remove edges or states, or share a report instead "
            "(File ▸ Report of the project)."
        )
    size = BYTES_PER_NUMBER * program.numbers
    if size > MAX_BYTES:
        raise TooLargeError(
            f"The page would have {count_text(program.numbers)} numbers (about {in_units(size)}); "
            f"{in_units(MAX_BYTES)} are possible. Remove parents or states, or share a report "
            "instead (File ▸ Report of the project)."
        )
    return program


def _program(model: Model) -> InferenceProgram:
    row = language_of(model)
    if row.program is not None:
        return row.program.load()(model)
    if row.to_network is not None:
        network = row.to_network.load()(model)
        inner = LANGUAGES[network.kind].program
        if inner is not None and network.domain == model.domain:
            return inner.load()(network)
    raise PgmStudioError(
        f"{a_kind(model.kind, 'A')} has no inference that a page could run. Convert it first."
    )
