"""The loops of passes.py and joint_passes.py, compiled."""

from __future__ import annotations

from pgmstudio.core.compiled import compiled, usable_in_compiled
from pgmstudio.core.inference import joint_passes, passes

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
