"""The loops of passes.py and joint_passes.py, compiled."""

from __future__ import annotations

from pgmstudio.core.inference.junction_tree import messages as joint_passes
from pgmstudio.core.inference.junction_tree import messages as passes
from pgmstudio.core.numba_support import compiled, usable_in_compiled

for _part in (
    passes.sum_of,
    passes.multiply,
    passes.weigh,
    passes.add_logs,
    passes.weigh_logs,
    passes.send_up,
):
    usable_in_compiled(_part)

collect = compiled(passes.collect)
visit = compiled(passes.visit)
add_counts = compiled(joint_passes.add_counts)
draw = compiled(joint_passes.draw)
explain = compiled(passes.explain)
