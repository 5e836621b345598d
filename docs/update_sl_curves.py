"""Put the results of a study of SL-curves into the manual.

    python docs/update_sl_curves.py real page-blocks FOLDER [OPTIONS]

FOLDER is that of `pgmstudio study real --out FOLDER`, in which the data set is finished; OPTIONS
are those of that command. Its tables go to docs/results, their rows into
docs/studies/sl-curves.md and its curves into docs/pictures.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "studies/sl-curves.md"
TITLES = {"real": "Real data", "made": "Synthetic data", "article": "The article's five data sets"}


def with_rows(section: str, tables: str) -> str:
    """The section with the rows of a data set in place of its former ones."""
    for table in re.split(r"^(?=\*\*)", tables, flags=re.MULTILINE):
        head, *lines = table.splitlines() or [""]
        rows = [line for line in lines if re.match(r"\| \S", line)]
        if not rows or head not in section.splitlines():
            continue
        name = rows[0].split(" | ")[0]
        before, after = section.split(f"{head}\n", 1)
        shown = after.splitlines()
        end = next(i for i, line in enumerate(shown) if i > 2 and not line.startswith("|"))
        own = [i for i in range(end) if shown[i].startswith(f"{name} | ")]
        shown[own[0] : own[-1] + 1] = rows
        section = f"{before}{head}\n" + "\n".join(shown) + "\n"
    return section


def main(study: str, data_set: str, folder: Path, options: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pgmstudio", "study", study, "--only", data_set, "--tables"]
    subprocess.run(
        [*command, "--out", str(folder), *options], check=True, stdout=subprocess.DEVNULL
    )
    stored = DOCS / f"results/study-{study}-{data_set}.md"
    shutil.copy(folder / "tables.md", stored)
    shutil.copy(folder / f"{data_set}.svg", DOCS / f"pictures/sl-{study}-{data_set}.svg")
    before, section = PAGE.read_text(encoding="utf-8").split(f"\n## {TITLES[study]}\n")
    own, *rest = section.split("\n## ")
    own = with_rows(own, stored.read_text(encoding="utf-8"))
    sections = "\n## ".join([own.rstrip("\n") + "\n", *rest])
    PAGE.write_text(f"{before}\n## {TITLES[study]}\n{sections}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
