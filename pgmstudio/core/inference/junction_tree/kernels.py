"""The loops of messages.py, compiled."""

from __future__ import annotations

from pgmstudio.core.inference.junction_tree import messages
from pgmstudio.core.numba_support import compiled, usable_in_compiled

for _part in (
    messages.sum_of,
    messages.multiply,
    messages.weigh,
    messages.add_logs,
    messages.weigh_logs,
    messages.send_up,
):
    usable_in_compiled(_part)

collect = compiled(messages.collect)
visit = compiled(messages.visit)
add_counts = compiled(messages.add_counts)
draw = compiled(messages.draw)
explain = compiled(messages.explain)
