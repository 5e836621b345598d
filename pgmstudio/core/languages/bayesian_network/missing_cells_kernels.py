"""The loops of missing_cells_loops.py, compiled."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network import missing_cells_loops as loops
from pgmstudio.core.numba_support import compiled, usable_in_compiled

for _part in (loops.new_workspace, loops.mark_silent, loops.walk_part, loops.weigh_case):
    usable_in_compiled(_part)

find_parts = compiled(loops.find_parts)
lay_out_cases = compiled(loops.lay_out_cases)
weigh_cases = compiled(loops.weigh_cases)
expect_cases = compiled(loops.expect_cases)
complete_cases = compiled(loops.complete_cases)
