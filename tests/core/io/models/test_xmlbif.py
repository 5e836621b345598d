"""XMLBIF 0.3: samples in the manner of other programs, hardening, errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.xmlbif import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import random_network

PATH = Path("dog.xml")

DTD = """<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
        <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
  <!ELEMENT NAME (#PCDATA)>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME |  PROPERTY )* ) >
        <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
  <!ELEMENT OUTCOME (#PCDATA)>
  <!ELEMENT DEFINITION ( FOR | GIVEN | TABLE | PROPERTY )* >
  <!ELEMENT FOR (#PCDATA)>
  <!ELEMENT GIVEN (#PCDATA)>
  <!ELEMENT TABLE (#PCDATA)>
  <!ELEMENT PROPERTY (#PCDATA)>
]>
"""

JAVABAYES = f"""<?xml version="1.0" encoding="US-ASCII"?>
<!--
  Bayesian network in XMLBIF v0.3 (BayesNet Interchange Format)
-->
<!-- DTD for the XMLBIF 0.3 format -->
{DTD}
<BIF VERSION="0.3">
<NETWORK>
<NAME>Dog_Problem</NAME>
<PROPERTY>credal-set constant-density-bounded 1.1</PROPERTY>

<!-- Variables -->
<VARIABLE TYPE="nature">
  <NAME>light_on</NAME>
  <OUTCOME>true</OUTCOME>
  <OUTCOME>false</OUTCOME>
  <PROPERTY>position = (73, 165)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
  <NAME>bowel_problem</NAME>
  <OUTCOME>true</OUTCOME>
  <OUTCOME>false</OUTCOME>
  <PROPERTY>position = (190, 69)</PROPERTY>
  <PROPERTY>observed true</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
  <NAME>dog_out</NAME>
  <OUTCOME>true</OUTCOME>
  <OUTCOME>false</OUTCOME>
  <PROPERTY>position = (155, 165)</PROPERTY>
</VARIABLE>

<!-- Probability distributions -->
<DEFINITION>
  <FOR>dog_out</FOR>
  <GIVEN>bowel_problem</GIVEN>
  <GIVEN>light_on</GIVEN>
  <!-- Order: first given, second given, dog_out -->
  <TABLE>0.99 0.01 0.97 0.03 0.9 0.1 0.3 0.7 </TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>bowel_problem</FOR>
  <TABLE>0.01 0.99 </TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>light_on</FOR>
  <TABLE>0.15 0.85 </TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""

WEKA = f"""<?xml version="1.0"?>
<!-- DTD for the XMLBIF 0.3 format -->
{DTD}

<BIF VERSION="0.3">
<NETWORK>
<NAME>iris-weka.filters.supervised.attribute.Discretize-Rfirst-last</NAME>
<VARIABLE TYPE="nature">
<NAME>petallength</NAME>
<OUTCOME>&apos;\\&apos;(-inf-2.45]\\&apos;&apos;</OUTCOME>
<OUTCOME>&apos;\\&apos;(2.45-inf)\\&apos;&apos;</OUTCOME>
<PROPERTY>position = (0,100)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
<NAME>class</NAME>
<OUTCOME>Iris-setosa</OUTCOME>
<OUTCOME>Iris-versicolor</OUTCOME>
<PROPERTY>position = (0,0)</PROPERTY>
</VARIABLE>
<DEFINITION>
<FOR>petallength</FOR>
<GIVEN>class</GIVEN>
<TABLE>
0.98 0.02
0.01 0.99
</TABLE>
</DEFINITION>
<DEFINITION>
<FOR>class</FOR>
<TABLE>
0.25 0.75
</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def test_a_sample_in_the_manner_of_javabayes_is_read() -> None:
    file = read(JAVABAYES)
    network = file.model
    assert isinstance(network, BayesianNetwork)
    assert file.title == "Dog_Problem"
    assert file.layout["light_on"] == (73.0, 165.0)
    assert file.properties.network == ("credal-set constant-density-bounded 1.1",)
    assert file.properties.variables == {"bowel_problem": ("observed true",)}
    # The last given runs faster than the first: bowel_problem true, light_on false is 0.97.
    assert network.dag.parents("dog_out") == ("light_on", "bowel_problem")
    assert network.table("dog_out")[1, 0].tolist() == [0.97, 0.03]
    assert file.warnings == ()


def test_a_sample_in_the_manner_of_weka_is_read() -> None:
    file = read(WEKA)
    assert file.title.startswith("iris-weka")
    assert file.layout == {"petallength": (0.0, 100.0), "class": (0.0, 0.0)}
    assert file.model.domain["petallength"].states[0] == "'\\'(-inf-2.45]\\''"
    assert file.model.table("petallength").tolist() == [[0.98, 0.02], [0.01, 0.99]]


def test_names_are_written_safely_beside_their_titles() -> None:
    domain = Domain(
        tuple(Variable(name, ("a b", "ü")) for name in ("my size", "my_size", "9", "größe"))
    )
    content, lost = render(ModelFile(BayesianNetwork.uniform(domain)), PATH)
    assert lost == ()
    text = content.decode()
    names = [line[8:-7] for line in text.splitlines() if line.startswith("  <NAME>")]
    assert len(set(names)) == 4
    assert names[1] == "my_size"
    assert all(name.isascii() and name.isidentifier() for name in names)
    assert parse(content, PATH).model.domain == domain


def test_a_transposed_table_is_recognised_by_its_sums() -> None:
    """Some programs list the variable's own states slowest."""
    file = read(WEKA.replace("0.98 0.02\n0.01 0.99", "0.98 0.01\n0.02 0.99"))
    assert file.model.table("petallength").tolist() == [[0.98, 0.02], [0.01, 0.99]]
    assert "lists its own states slowest" in file.warnings[0]


def test_a_row_that_misses_one_is_normalised_and_reported() -> None:
    file = read(WEKA.replace("0.25 0.75", "0.2 0.7"))
    line = WEKA[: WEKA.index("\n0.25")].count("\n") + 1
    assert file.warnings == (
        f"dog.xml, line {line}: the row () of class sums to 0.9. "
        "Loaded and normalised; check the table.",
    )


def test_decisions_and_utilities_are_reported_not_swallowed() -> None:
    text = JAVABAYES.replace(
        "<!-- Probability distributions -->",
        '<VARIABLE TYPE="decision"><NAME>walk</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME>'
        '</VARIABLE><VARIABLE TYPE="utility"><NAME>joy</NAME></VARIABLE>'
        "<DEFINITION><FOR>joy</FOR><GIVEN>walk</GIVEN><TABLE>3 -4</TABLE></DEFINITION>",
    )
    file = read(text)
    assert file.model.table("walk").tolist() == [0.5, 0.5]
    message = " ".join(file.warnings)
    assert "walk is a decision" in message
    assert "utility joy was left out" in message


def test_elements_that_are_not_known_are_listed() -> None:
    file = read(JAVABAYES.replace("<!-- Variables -->", "<OBSERVATION>x</OBSERVATION>"))
    assert "<OBSERVATION> is not known here" in file.warnings[0]


BOMB = """<!DOCTYPE BIF [
  <!ENTITY a "aaaaaaaaaa">
  <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]><BIF VERSION="0.3"><NETWORK><NAME>&c;</NAME></NETWORK></BIF>"""
OUTSIDE = """<!DOCTYPE BIF [ <!ENTITY other SYSTEM "file:///etc/hostname"> ]>
<BIF VERSION="0.3"><NETWORK><NAME>&other;</NAME></NETWORK></BIF>"""
PARAMETER = """<!DOCTYPE BIF [ <!ENTITY % other SYSTEM "file:///etc/hostname"> %other; ]>
<BIF VERSION="0.3"><NETWORK><NAME>x</NAME></NETWORK></BIF>"""
SKIPPED = """<!DOCTYPE BIF SYSTEM "bif.dtd">
<BIF VERSION="0.3"><NETWORK><NAME>&other;</NAME></NETWORK></BIF>"""


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, PARAMETER, SKIPPED])
def test_entities_are_refused(text: str) -> None:
    with pytest.raises(ModelFileError, match="entity"):
        read(text)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<BIF><NETWORK></BIF>", 1, "is not XML: mismatched tag"),
        ("", 1, "no element found"),
        ("<html/>", None, "is it an XMLBIF file"),
        ("<BIF><NETWORK><NAME>x</NAME></NETWORK></BIF>", 1, "holds no variables"),
        ('<?xml version="1.0" encoding="klingon"?><BIF/>', None, "encoding cannot be read"),
        ("<a>" * 100, 1, "nested too deeply"),
        (WEKA.replace("<FOR>class</FOR>", "<FOR>klass</FOR>"), 42, "Did you mean class?"),
        (WEKA.replace("<FOR>class</FOR>", ""), 42, "needs one <FOR>"),
        (WEKA.replace("0.25 0.75", "0.25 0.5 0.25"), 44, "has 3 numbers instead of 2"),
        (WEKA.replace("0.25 0.75", "0.25 -0.75"), 44, "“-0.75” in the table of class"),
        (WEKA.replace("0.25 0.75", "0.25 x"), 44, "“x” in the table of class"),
        (WEKA.replace("<NAME>class</NAME>", "<NAME>petallength</NAME>"), 28, "two variables"),
        (WEKA.replace("Iris-versicolor", "Iris-setosa"), 28, "“Iris-setosa” twice"),
        (WEKA.replace("<GIVEN>class", "<GIVEN>petallength"), 34, "named twice"),
    ],
)
def test_an_error_names_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line


def test_a_file_without_declared_encoding_may_be_latin_1() -> None:
    text = WEKA.replace("Iris-setosa", "Größe")
    file = parse(text.encode("latin-1"), PATH)
    assert file.model.domain["class"].states[0] == "Größe"
    assert "not UTF-8" in file.warnings[0]


def test_a_declared_encoding_is_followed() -> None:
    text = WEKA.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="ISO-8859-1"?>')
    file = parse(text.replace("Iris-setosa", "Größe").encode("latin-1"), PATH)
    assert file.model.domain["class"].states[0] == "Größe"
    assert file.warnings == ()


def test_equal_models_give_equal_bytes() -> None:
    one, other = (random_network(np.random.default_rng(9)) for _ in range(2))
    assert render(ModelFile(one), PATH) == render(ModelFile(other), PATH)
