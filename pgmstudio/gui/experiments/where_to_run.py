"""Where the runs of an experiment are made: processes of this computer, or a cluster."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from pgmstudio.core.execution.cluster import address_problem
from pgmstudio.core.execution.cores import core_count
from pgmstudio.gui.widgets.basic import hbox, label, named
from pgmstudio.gui.widgets.number_box import whole_box


class WhereToRun(QWidget):
    """The number of processes, and the address of a cluster in place of them."""

    changed = Signal()

    def __init__(self, prefix: str) -> None:
        """`prefix` begins the object names."""
        super().__init__()
        self.processes = whole_box(f"{prefix}Processes", "Processes", "Parallel runs.", 1, 1024)
        self.processes.setValue(core_count())
        self.cluster = named(
            QLineEdit(),
            f"{prefix}Cluster",
            "Cluster",
            "Address of a Dask scheduler, tcp://HOST:PORT; empty for this computer.",
        )
        self.cluster.setPlaceholderText("this computer")
        self.cluster.textChanged.connect(self.changed)
        shown = (label("Processes", "secondary"), self.processes)
        hbox(self, *shown, label("Cluster", "secondary"), self.cluster)

    @property
    def address(self) -> str | None:
        """The cluster; None for this computer."""
        return self.cluster.text().strip() or None

    @property
    def problem(self) -> str | None:
        """Why it cannot be run there."""
        return None if self.address is None else address_problem(self.address)
