"""XDSL: a file in the manner of GeNIe, its other kinds of nodes, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, Properties, read_model, write_model
from pgmstudio.core.io.models.genie_xdsl import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.core.io.odd_networks import same_network
from tests.strategies import random_network

PATH = Path("asia.xdsl")

GENIE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- This network was created in GeNIe Academic, which can be used for educational purposes -->
<smile version="1.0" id="Asia" numsamples="10000" discsamples="10000">
\t<nodes>
\t\t<cpt id="VisitAsia">
\t\t\t<state id="NoVisit" />
\t\t\t<state id="Visit" />
\t\t\t<probabilities>0.99 0.01</probabilities>
\t\t\t<property id="literature">Lauritzen and Spiegelhalter</property>
\t\t</cpt>
\t\t<cpt id="Smoking">
\t\t\t<state id="Never" />
\t\t\t<state id="Seldom" />
\t\t\t<state id="Often" />
\t\t\t<probabilities>0.5 0.3 0.2</probabilities>
\t\t</cpt>
\t\t<cpt id="Illness">
\t\t\t<state id="Absent" />
\t\t\t<state id="Present" />
\t\t\t<parents>VisitAsia Smoking</parents>
\t\t\t<probabilities>0.99 0.01 0.95 0.05 0.9 0.1 0.8 0.2 0.7 0.3 0.6 0.4</probabilities>
\t\t</cpt>
\t\t<deterministic id="Alarm">
\t\t\t<state id="Off" />
\t\t\t<state id="On" />
\t\t\t<parents>Illness VisitAsia</parents>
\t\t\t<resultingstates>Off Off Off On</resultingstates>
\t\t</deterministic>
\t\t<noisymax id="Fever">
\t\t\t<state id="Present" />
\t\t\t<state id="Absent" />
\t\t\t<parents>Illness VisitAsia</parents>
\t\t\t<strengths>1 0 1 0</strengths>
\t\t\t<parameters>0.8 0.2 0 1 0.6 0.4 0 1 0.05 0.95</parameters>
\t\t</noisymax>
\t</nodes>
\t<extensions>
\t\t<genie version="1.0" app="GeNIe 3.0.6518.0 ACADEMIC" name="Chest clinic">
\t\t\t<node id="VisitAsia">
\t\t\t\t<name>Visit To Asia?</name>
\t\t\t\t<interior color="ffcc00" />
\t\t\t\t<outline color="0000bb" />
\t\t\t\t<font color="000000" name="Arial" size="8" />
\t\t\t\t<position>20 30 96 80</position>
\t\t\t\t<barchart active="true" width="128" height="64" />
\t\t\t</node>
\t\t\t<submodel id="Sub1">
\t\t\t\t<name>Inner part</name>
\t\t\t\t<position>200 30 280 80</position>
\t\t\t\t<node id="Smoking">
\t\t\t\t\t<name>Smoking</name>
\t\t\t\t\t<position>200 30 300 71</position>
\t\t\t\t</node>
\t\t\t</submodel>
\t\t</genie>
\t</extensions>
</smile>
"""


def read(text: str) -> ModelFile:
    return parse(text.encode("latin-1"), PATH)


def test_a_file_in_the_manner_of_genie_is_read() -> None:
    file = read(GENIE)
    network = file.model
    assert isinstance(network, BayesianNetwork)
    assert file.title == "Chest clinic"
    assert network.domain.names == ("VisitAsia", "Smoking", "Illness", "Alarm", "Fever")
    assert file.titles == {"VisitAsia": "Visit To Asia?"}
    assert file.layout == {"VisitAsia": (58.0, 55.0), "Smoking": (250.0, 50.5)}  # also in submodels
    assert "literature = Lauritzen and Spiegelhalter" in file.properties.variables["VisitAsia"]


def test_the_last_parent_runs_faster_than_the_first() -> None:
    table = read(GENIE).model.table("Illness")
    assert table[0, :, 1].tolist() == [0.01, 0.05, 0.1]
    assert table[1, :, 1].tolist() == [0.2, 0.3, 0.4]


def test_a_deterministic_node_becomes_a_table() -> None:
    """Parents in the file are Illness, VisitAsia; in the table the other way round."""
    table = read(GENIE).model.table("Alarm")
    assert table[1, 1].tolist() == [0, 1]
    assert table[..., 1].sum() == 1


def test_a_noisy_or_becomes_a_table() -> None:
    """P(absent) = Π over the present causes of (1 − p), times (1 − leak); Pearl 1988, §4.3.2."""
    file = read(GENIE)
    table = file.model.table("Fever")  # axes: VisitAsia, Illness, Fever
    for visit in (0, 1):
        for ill in (0, 1):
            absent = 0.95 * (0.2 if ill else 1) * (0.4 if visit else 1)
            assert table[visit, ill, 1] == pytest.approx(absent, abs=1e-15)
    assert any("Fever" in warning and "tables" in warning for warning in file.warnings)


def test_a_noisy_max_takes_the_strongest_of_independent_effects() -> None:
    """Against summing over the effects of each cause one by one."""
    rng = np.random.default_rng(3)
    columns = rng.dirichlet(np.ones(3), size=6)
    columns[2] = columns[4] = [0, 0, 1]
    numbers = " ".join(map(repr, columns.ravel().tolist()))
    text = f"""<smile version="1.0" id="n"><nodes>
    <cpt id="A"><state id="a"/><state id="b"/><state id="c"/>
      <probabilities>0.2 0.3 0.5</probabilities></cpt>
    <cpt id="B"><state id="a"/><state id="b"/><probabilities>0.5 0.5</probabilities></cpt>
    <noisymax id="X"><state id="high"/><state id="low"/><state id="none"/>
      <parents>A B</parents><parameters>{numbers}</parameters></noisymax>
    </nodes></smile>"""
    table = read(text).model.table("X")
    for a in range(3):
        for b in range(2):
            wanted = np.zeros(3)
            for i, p in enumerate(columns[a]):
                for j, q in enumerate(columns[3 + b]):
                    for k, leak in enumerate(columns[5]):
                        wanted[min(i, j, k)] += p * q * leak  # the first state is the strongest
            assert table[a, b] == pytest.approx(wanted, abs=1e-15)


def test_colours_and_the_bar_chart_come_back() -> None:
    content, _ = render(read(GENIE), PATH)
    text = content.decode()
    assert '<interior color="ffcc00" />' in text
    assert '<barchart active="true" width="128" height="64" />' in text
    again = parse(content, PATH)
    assert same_network(read(GENIE).model, again.model)
    assert again.titles == {"VisitAsia": "Visit To Asia?"}
    assert again.layout == read(GENIE).layout
    assert again.properties == read(GENIE).properties


def test_names_that_are_no_identifiers_are_written_beside_their_own() -> None:
    domain = Domain(
        tuple(Variable(n, ("1", "a b", "a_b")) for n in ("my size", "my_size", "9", "ä"))
    )
    content, lost = render(ModelFile(BayesianNetwork.uniform(domain)), PATH)
    ids = [line.split('"')[1] for line in content.decode().splitlines() if "<cpt id" in line]
    assert len(set(ids)) == 4
    assert all(word.isascii() and word.isidentifier() and word[0].isalpha() for word in ids)
    assert "written differently" in lost[0]
    assert parse(content, PATH).model.domain == domain


def test_a_node_renamed_or_moved_in_genie_is_where_that_put_it() -> None:
    domain = Domain.of({"my size": ("s", "l")})
    file = ModelFile(BayesianNetwork.uniform(domain), layout={"my size": (10.25, 20.0)})
    content, _ = render(file, PATH)
    assert parse(content, PATH).layout == {"my size": (10.25, 20.0)}
    renamed = content.replace(b'"my_size"', b'"Height"')
    assert parse(renamed, PATH).model.domain.names == ("Height",)
    moved = content.replace(b"-30 0 50 40", b"100 100 200 150")
    assert moved != content
    assert parse(moved, PATH).layout == {"my size": (150.0, 125.0)}


def test_parents_are_written_before_their_children_and_the_order_comes_back() -> None:
    network = random_network(np.random.default_rng(2), 8, density=0.6)
    content, _ = render(ModelFile(network), PATH)
    seen: set[str] = set()
    for line in content.decode().splitlines():
        if "<cpt id" in line:
            seen.add(line.split('"')[1])
        elif "<parents>" in line:
            assert set(line.strip()[9:-10].split()) <= seen
    assert same_network(network, parse(content, PATH).model)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<smile><nodes>", 1, "is not XML"),
        ("<html/>", 1, "is it an XDSL file"),
        ("<smile><nodes></nodes></smile>", 1, "holds no nodes"),
        (GENIE.replace('<cpt id="Smoking">', '<cpt id="VisitAsia">'), 11, "two variables"),
        (GENIE.replace("0.5 0.3 0.2", "0.5 0.5"), 15, "has 2 numbers instead of 3"),
        (GENIE.replace("0.5 0.3 0.2", "0.5 o.3 0.2"), 15, "“o.3” in the table of Smoking"),
        (GENIE.replace("0.5 0.3 0.2", "0.5 -0.3 0.2"), 15, "no probability"),
        (GENIE.replace("<parents>VisitAsia Smoking<", "<parents>Asia Smoking<"), 17, "Asia"),
        (GENIE.replace("Off Off Off On", "Off Off On"), 27, "3 states instead of 4"),
        (GENIE.replace("Off Off Off On", "Off Off Off Onn"), 27, "Did you mean On?"),
        (GENIE.replace("0.05 0.95", "0.05"), 34, "parameters instead of 10"),
        (GENIE.replace("1 0 1 0", "1 1 1 0"), 33, "no order of its states"),
        (GENIE.replace("Seldom", "Never"), 11, "“Never” twice"),
    ],
)
def test_an_error_names_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("decision", "is a decision"),
        ("utility", "is a utility"),
        ("mau", "is a utility"),
        ("equation", "is an equation"),
        ("noisyadder", "is a noisy adder"),
        ("tablet", "not known here"),
    ],
)
def test_other_kinds_of_nodes_are_refused_with_a_sentence(tag: str, message: str) -> None:
    text = GENIE.replace("\t</nodes>", f'<{tag} id="Other"></{tag}></nodes>')
    with pytest.raises(ModelFileError, match=message) as refused:
        read(text)
    assert refused.value.line == 36


COMMENTED = GENIE.replace(
    '<barchart active="true" width="128" height="64" />',
    '<barchart active="true" width="128" height="64" />'
    "<comment>Asked on arrival &amp; again\nlater: 2 &lt; 3</comment>"
    '<statecomment state="Visit">in the last year</statecomment>',
).replace(
    "</genie>",
    "<comment>The whole clinic.</comment>"
    '<textbox><caption>Causes above</caption><font color="ff0000" name="A &quot;B&quot;" />'
    "<position>1 2 3 4</position></textbox></genie>",
)


@pytest.mark.parametrize("ending", [".xdsl", ".bif", ".net", ".json", ".xml"])
def test_comments_and_text_boxes_come_back_from_any_format_that_keeps_properties(
    tmp_path: Path, ending: str
) -> None:
    source, between, target = tmp_path / "a.xdsl", tmp_path / f"b{ending}", tmp_path / "c.xdsl"
    source.write_bytes(COMMENTED.encode("latin-1"))
    file = read_model(source)
    assert "<comment>The whole clinic.</comment>" in file.properties.network
    assert write_model(between, file)[1:] == () or ending != ".xdsl"
    write_model(target, read_model(between))
    assert read_model(target).properties == file.properties
    written = target.read_text(encoding="utf-8")
    genie = written[written.index("<genie") :]
    node = genie[: genie.index("</node>")]
    assert "<comment>Asked on arrival &amp; again\nlater: 2 &lt; 3</comment>" in node
    assert '<statecomment state="Visit">in the last year</statecomment>' in node
    assert "<caption>Causes above</caption>" in genie
    assert "<comment>The whole clinic.</comment>" in genie


def test_a_property_that_only_looks_like_an_element_stays_a_property() -> None:
    network = random_network(np.random.default_rng(1), 2)
    odd = ("<comment>not closed", "<a/><b/>", "<node id='x' />", "x < y")
    properties = Properties(odd, {"X0": odd})
    content, _ = render(ModelFile(network, properties=properties), PATH)
    again = parse(content, PATH)
    assert again.properties.network == odd
    assert again.properties.variables["X0"] == odd


def test_submodels_are_reported() -> None:
    assert any("submodels" in warning for warning in read(GENIE).warnings)
