"""The tables of the manual's pages on experiments hold what is stored of a run.

`docs/results/NAME.csv` is what `pgmstudio recipe NAME --out docs/results/NAME.csv` wrote, and
`docs/results/study-NAME-SET.md` the `tables.md` of `pgmstudio study NAME --only SET`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from pgmstudio.core.number_format import decimal
from pgmstudio.studies.recipe import Quantity
from pgmstudio.studies.registry import RECIPES
from pgmstudio.studies.sl_published import published_truths

DOCS = Path(__file__).resolve().parents[2] / "docs"
HEAD = "| | published | obtained | difference | |"


def page(name: str) -> str:
    return (DOCS / f"studies/{name}.md").read_text(encoding="utf-8")


def section_of(key: str) -> str:
    """The section of the page about a recipe."""
    result = re.search(
        rf"^## [^\n]*\n\n`{key}` (.*?)(?=^## |\Z)",
        page("published-experiments"),
        re.DOTALL | re.MULTILINE,
    )
    return result[1] if result else ""


def table_of(key: str, head: str = HEAD) -> list[str]:
    """The lines of a recipe's table on its page; none where it has none."""
    lines = section_of(key).splitlines()
    if head not in lines:
        return []
    after = lines[lines.index(head) + 2 :]
    return after[: after.index("")]


def stored_of(key: str) -> Sequence[Mapping[str, str]]:
    with (DOCS / f"results/{key}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cell_text(number: float | str | None, digits: int, spread: float | str | None = None) -> str:
    if number is None or number == "":
        return ""
    text = decimal(float(number), digits)
    if spread is None or spread == "":
        return text
    return f"{text} ± {decimal(float(spread), digits)}"


def line_of(quantity: Quantity, stored: Mapping[str, str]) -> str:
    """A line of the table, from the declared quantity and the stored numbers."""
    digits = quantity.digits
    difference = cell_text(stored["difference"], digits)
    if difference and float(stored["difference"]) > 0:
        difference = f"+{difference}"
    cells = (
        quantity.title,
        cell_text(quantity.published, digits, quantity.spread),
        cell_text(stored["obtained"], digits, stored["sd"]),
        difference,
        quantity.note,
    )
    return f"| {' | '.join(cells)} |"


def lines_of(key: str) -> list[str]:
    """The table as it should stand on the page."""
    quantities = {quantity.title: quantity for quantity in RECIPES[key].quantities}
    return [
        line_of(quantities[row["quantity"]], row)
        for row in stored_of(key)
        if row["obtained"] and row["quantity"] in quantities  # points of curves are in the plot
    ]


WITH_TABLES = [key for key in RECIPES if table_of(key)]


@pytest.mark.parametrize("key", WITH_TABLES)
def test_the_table_of_a_recipe_is_what_was_stored_of_its_run(key: str) -> None:
    assert table_of(key) == lines_of(key)


# Recipes along a setting: the head of the table, and for each column the rows of the file that it
# shows, their digits, and whether with a spread.
SWEEPS = {
    "bars-sweep": (
        "| α | 2 trees, test bits | 3 trees, test bits | perfect structures (share) |",
        (
            ("2 trees, α = ", 2, True),
            ("3 trees, α = ", 2, True),
            ("perfect structures, α = ", 2, False),
        ),
    ),
    "australian-trees": (
        "| Trees | β = 4, % correct | m β = 80, % correct |",
        (("β = 4, ", 1, True), ("m β = 80, ", 1, True)),
    ),
}


def sweep_lines(key: str) -> list[str]:
    _, columns = SWEEPS[key]
    stored = {row["quantity"]: row for row in stored_of(key)}
    first = columns[0][0]
    settings = [name.removeprefix(first) for name in stored if name.startswith(first)]
    lines = []
    for setting in settings:
        cells = [setting.split()[0]]
        for beginning, digits, has_spread in columns:
            row = stored[f"{beginning}{setting}"]
            cells.append(cell_text(row["obtained"], digits, row["sd"] if has_spread else None))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


@pytest.mark.parametrize("key", SWEEPS)
def test_the_table_along_a_setting_is_what_was_stored_of_its_run(key: str) -> None:
    assert table_of(key, SWEEPS[key][0]) == sweep_lines(key)


@pytest.mark.parametrize("key", WITH_TABLES)
def test_the_notes_of_a_recipe_are_on_its_page(key: str) -> None:
    section = " ".join(section_of(key).split())
    for message in RECIPES[key].why:
        assert f"- {message}" in section


def graph_lines() -> list[str]:
    """Table 4.3 as it should stand on its page: forests given, then learned."""
    stored = {row["quantity"]: row for row in stored_of("pdg-table")}
    lines = []
    for message in ("true forest", "learned forest"):
        for name in ("Logic1", "Logic2", "Logic3", "Rnd15", "Rnd20"):
            data_set = f"{name}, {message}"
            cells = [name]
            for what, digits, columns in (
                (", size", 0, ("published", "obtained")),
                (", size of the smallest within 0.01 bits", 0, ("obtained",)),
                (", training bits", 3, ("published", "obtained")),
                (", test bits", 3, ("published", "obtained")),
                (" − true model, test bits", 3, ("published", "obtained")),
            ):
                cells += [
                    cell_text(stored[f"{data_set}{what}"][column], digits) for column in columns
                ]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_table_of_decision_graphs_is_what_was_stored_of_its_run() -> None:
    tables = page("decision-graphs").split("**Forest given**")[1].split("\nThe true models have")[0]
    shown = [line for line in tables.splitlines() if re.match(r"\| (Logic|Rnd)", line)]
    assert shown == graph_lines()


def relative_lines() -> list[str]:
    """Sizes of graphs relative to the true ones, and what share of false states is possible."""
    stored = {row["quantity"]: row for row in stored_of("pdg-table")}
    lines = []
    for name in ("Logic1", "Logic2", "Logic3", "Rnd15", "Rnd20"):
        cells = [name]
        for forest in ("true", "learned"):
            row = stored[f"{name}, {forest} forest, size / size of the true model"]
            false = stored.get(f"{name}, {forest} forest, false states with a probability (share)")
            cells += [cell_text(row["published"], 2), cell_text(row["obtained"], 2)]
            cells.append("" if false is None else cell_text(false["obtained"], 3))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_relative_sizes_of_decision_graphs_are_what_was_stored() -> None:
    tables = page("decision-graphs").split("**Figures 4.17 to 4.19**")[1].split("\n**Random")[0]
    shown = [line for line in tables.splitlines() if re.match(r"\| (Logic|Rnd)", line)]
    assert shown == relative_lines()


STUDIES = {"real": "Real data", "made": "Synthetic data", "article": "The article's five data sets"}
RUNS = sorted((DOCS / "results").glob("study-*.md"))


@pytest.mark.parametrize("stored", RUNS, ids=lambda path: path.stem)
def test_the_rows_of_a_study_are_what_was_stored_of_its_run(stored: Path) -> None:
    title = STUDIES[stored.stem.split("-")[1]]
    section = page("sl-curves").split(f"\n## {title}\n")[1].split("\n## ")[0]
    wrong = []
    for table in re.split(r"^(?=\*\*)", stored.read_text(encoding="utf-8"), flags=re.MULTILINE):
        head, *lines = table.splitlines() or [""]
        if head in section.splitlines():  # a page need not show every table
            wrong += [line for line in lines if re.match(r"\| \S", line) and line not in section]
    assert not wrong


def test_the_true_models_of_a_recipe_and_of_a_study_are_published_equally() -> None:
    """Table 5.2 is quoted twice."""
    names = {name: name for name in ("nb10", "nb20", "alarm", "hailfinder")} | {"parity": "logic2"}
    quoted = {name: RECIPES["nb-synthetic"].published(f"{name}_true") for name in names}
    truths = published_truths()
    assert quoted == {name: -truths[other].test for name, other in names.items()}


LABEL_TABLES = ("Coronary", "Car", "Tic-tac-toe", "Vote", "Solar flare", "Mushroom")


def label_lines() -> list[str]:
    """Plain graphs, trees and labels on real data: test bits and parameters, the gain of labels."""
    stored = {row["quantity"]: row for row in stored_of("ldag-tables")}
    lines = []
    for name in LABEL_TABLES:
        cells = [name]
        for kind in ("plain graph", "trees", "labels"):
            bits = stored[f"{name}, {kind}, test bits"]["obtained"]
            size = float(stored[f"{name}, {kind}, parameters"]["obtained"])
            cells.append(f"{cell_text(bits, 4)}, {cell_text(size, 1 if size < 20 else 0)}")
        gain = float(stored[f"{name}, labels − plain, bits gained"]["obtained"])
        error = stored[f"{name}, standard error of that"]["obtained"]
        cells.append(f"{'+' if gain > 0 else ''}{cell_text(gain, 4)} ({cell_text(error, 4)})")
        lost = stored[f"{name}, share of splits below −1 standard error"]
        count = int(lost["trials"])
        cells.append(f"{round(float(lost['obtained']) * count)} of {count}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def split_lines() -> list[str]:
    """The gain of labels in every split; bold where it is below −1 standard error."""
    gains: dict[tuple[str, str], str] = {}
    for row in stored_of("ldag-tables-splits"):
        gain, error = float(row["gain"]), float(row["standard_error"])
        text = f"{'+' if gain > 0 else ''}{decimal(gain, 4)} ± {decimal(error, 4)}"
        gains[row["split"], row["data"]] = (
            "0" if gain == 0 else f"**{text}**" if gain < -error else text
        )
    return [
        f"| {split} | {' | '.join(gains.get((str(split), name), '') for name in LABEL_TABLES)} |"
        for split in range(1, 13)
    ]


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        (
            "| Data | Plain graph | Trees | Labels | Labels gain | Worse by more than 1 s.e. |",
            label_lines,
        ),
        (f"| Split | {' | '.join(LABEL_TABLES)} |", split_lines),
    ],
)
def test_the_tables_of_labels_on_real_data_are_what_was_stored(
    head: str, lines: Callable[[], list[str]]
) -> None:
    assert table_of("ldag-tables", head) == lines()


def recovery_lines() -> list[str]:
    """Divergence of plain graphs, trees and labels from random true models, the gain of labels."""
    stored = {row["quantity"]: row for row in stored_of("ldag-recovery")}

    def bits(value: str) -> str:
        return cell_text(value, 4 if float(value) < 0.03 else 3)

    lines = []
    for variables in (10, 20):
        for fraction in (30, 50, 70):
            cells = [str(variables), f"{fraction} %"]
            for rows in (250, 1000, 4000, 16000):
                cell = f"{variables} variables, {fraction}% labels, {rows} rows"
                kinds = [
                    bits(stored[f"{cell}, {kind}"]["obtained"])
                    for kind in ("plain graph", "trees", "labels")
                ]
                gain = stored[f"{cell}, plain − labels"]
                error = float(gain["sd"]) / int(gain["trials"]) ** 0.5
                signed = (
                    f"{'+' if float(gain['obtained']) > 0 else ''}{cell_text(gain['obtained'], 4)}"
                )
                cells.append(f"{' / '.join(kinds)}, {signed} ± {decimal(error, 4)}")
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_table_of_labels_on_synthetic_data_is_what_was_stored() -> None:
    head = "| Variables | Labels | Rows 250 | 1 000 | 4 000 | 16 000 |"
    assert table_of("ldag-recovery", head) == recovery_lines()


MARKOV_GRAPHS = "| Variables | Graph | Rows 250 | 1 000 | 4 000 | 16 000 |"
MARKOV_CONTEXTS = "| Graph | Rows 250 | 1 000 | 4 000 | 16 000 |"
MARKOV_ROWS = (250, 1000, 4000, 16000)
TOPOLOGIES = ("grid", "loop", "hub", "clique", "random")


def markov_graph_lines() -> list[str]:
    """Wrong edges: hill climbing / AND / OR / PIC / tests."""
    stored = {row["quantity"]: row for row in stored_of("markov-recovery")}
    lines = []
    for variables in (16, 64):
        for topology in TOPOLOGIES:
            cells = [str(variables), topology]
            for rows in MARKOV_ROWS:
                cell = f"{topology}, {variables} variables, {rows} rows"
                cells.append(
                    " / ".join(
                        cell_text(stored[f"{cell}, {method}"]["obtained"], 1)
                        for method in ("hill climbing", "AND", "OR", "PIC", "tests")
                    )
                )
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def markov_context_lines() -> list[str]:
    """Divergence without and with contexts, and the gain with its standard error."""
    stored = {row["quantity"]: row for row in stored_of("markov-recovery")}
    lines = []
    for topology in TOPOLOGIES:
        cells = [topology]
        for rows in MARKOV_ROWS:
            cell = f"{topology} with contexts, 16 variables, {rows} rows"
            kinds = [
                cell_text(stored[f"{cell}, {kind}"]["obtained"], 4)
                for kind in ("without contexts", "with contexts")
            ]
            gain = stored[f"{cell}, gain"]
            error = float(gain["sd"]) / int(gain["trials"]) ** 0.5
            sign = "+" if float(gain["obtained"]) > 0 else ""
            text = f"{sign}{cell_text(gain['obtained'], 4)} ± {decimal(error, 4)}"
            cells.append(f"{' / '.join(kinds)}, {text}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


@pytest.mark.parametrize(
    ("head", "lines"),
    [(MARKOV_GRAPHS, markov_graph_lines), (MARKOV_CONTEXTS, markov_context_lines)],
)
def test_the_tables_of_markov_networks_are_what_was_stored(
    head: str, lines: Callable[[], list[str]]
) -> None:
    assert table_of("markov-recovery", head) == lines()


def test_wrong_edges_become_fewer_with_more_rows() -> None:
    stored = {row["quantity"]: float(row["obtained"]) for row in stored_of("markov-recovery")}
    for variables in (16, 64):
        for method in ("hill climbing", "AND", "OR", "PIC", "tests"):
            for topology in TOPOLOGIES:
                wrong = [
                    stored[f"{topology}, {variables} variables, {rows} rows, {method}"]
                    for rows in MARKOV_ROWS
                ]
                assert wrong == sorted(wrong, reverse=True)


def compiled_counts(name: str) -> str:
    """Of how many networks the graph is smaller, as `7 of 8`."""
    stored = {row["quantity"]: row for row in stored_of("pdg-hybrid")}
    networks = stored[f"{name}, networks"]["obtained"]
    share = float(stored[f"{name}, share with a smaller graph"]["obtained"])
    return f"{round(share * float(networks))} of {float(networks):.0f}"


def test_the_table_of_compiled_networks_is_what_was_stored_of_its_run() -> None:
    tables = page("decision-graphs").split("\n## Networks compiled\n")[1]
    shown = [line for line in tables.splitlines() if re.match(r"\| [A-Z].* of ", line)]
    published = {row["quantity"]: row["note"] for row in stored_of("pdg-hybrid")}
    assert len(shown) == 13
    for line in shown:
        name, printed, counts, _ = line.strip("| ").split(" | ")
        assert printed == published[f"{name}, share with a smaller graph"]
        assert counts == compiled_counts(name)


def real_graph_lines() -> list[str]:
    """Decision graphs of real data: the best on the test rows, and the choice of held-out rows."""
    stored = {row["quantity"]: row for row in stored_of("pdg-real")}
    lines = []
    for name in (
        "Letter",
        "Adult",
        "Mushroom",
        "King, rook and king",
        "Abalone",
        "Page-blocks",
        "Landsat",
    ):
        cells = [name]
        for what, digits in (("size", 0), ("training bits", 3), ("test bits", 3)):
            row = stored[f"{name}, {what}"]
            cells += [cell_text(row["published"], digits), cell_text(row["obtained"], digits)]
        for what, digits in (("size", 0), ("test bits", 3)):
            chosen = stored[f"{name}, chosen by held-out rows, {what}"]["obtained"]
            cells.append(cell_text(chosen, digits))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_table_of_decision_graphs_of_real_data_is_what_was_stored() -> None:
    section = page("decision-graphs").split("\n## Real data\n")[1].split("\n- ")[0]
    shown = [line for line in section.splitlines() if re.match(r"\| [A-Z]", line)]
    assert shown == real_graph_lines()


# Runs of equivalence search that are stored: the label of the row, and the file.
SEARCHES = {
    "Four-cycles": "kes-four-cycle",
    "Four-cycles, sampled neighbours": "kes-four-cycle-sampled",
    "Four-cycles, 7 × the penalty of BIC": "kes-four-cycle-penalty",
    "Four-cycles, 10 data sets": "kes-four-cycle-samples",
    "Alarm": "kes-alarm",
    "Alarm, sampled neighbours": "kes-alarm-sampled",
    "Alarm, 20 data sets": "kes-alarm-samples",
    "Hailfinder": "kes-hailfinder",
    "Hailfinder, 12 data sets": "kes-hailfinder-samples",
}


def search_lines() -> list[str]:
    """Runs better than GES by greediness, the best run, and whether larger k are better."""
    lines = []
    for label, name in SEARCHES.items():
        stored = {row["quantity"]: row for row in stored_of(name)}
        cells = [label]
        for title, digits in (
            ("Runs with k ≤ 0.1 better than GES (share)", 3),
            ("Runs with k from 0.2 to 0.4 better than GES (share)", 3),
            ("Runs with k from 0.5 to 0.9 better than GES (share)", 3),
            ("Best run with k < 1 − GES, bits", 0),
            ("Pairs of k in which the larger has the better mean (share)", 2),
        ):
            cells.append(cell_text(stored[title]["obtained"], digits))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_table_of_equivalence_search_is_what_was_stored() -> None:
    head = "| | k ≤ 0.1 | k 0.2 to 0.4 | k 0.5 to 0.9 | best − GES, bits | larger k better |"
    assert table_of("kes-four-cycle", head) == search_lines()


def spread_lines() -> list[str]:
    """Published values beside the mean, the standard deviation and the range over seeds."""
    lines = []
    for row in stored_of("spread"):
        digits = int(row["digits"])
        ends = [cell_text(row[end], digits) for end in ("min", "max")]
        cells = (
            row["quantity"],
            cell_text(row["published"], digits),
            cell_text(row["mean"], digits, row["sd"]),
            " to ".join(ends) if all(ends) else f"at most {ends[1]}" if ends[1] else "",
            row["runs"],
            row["note"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def test_the_spread_over_seeds_is_what_was_stored() -> None:
    section = page("published-experiments").split("\n## Differences and their causes\n")[1]
    shown = [line for line in section.split("\n## ")[0].splitlines() if line.startswith("| ")]
    assert shown[1:] == spread_lines()
