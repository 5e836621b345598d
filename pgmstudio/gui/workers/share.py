"""How far a worker is, told across threads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Share:
    """Written by the thread that works, read by the window."""

    done: float = 0.0

    def tell(self, share: float) -> None:
        self.done = share
