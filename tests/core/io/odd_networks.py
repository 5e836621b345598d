"""Networks with names no one would choose, and comparing networks bit for bit."""

from __future__ import annotations

from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain, Variable, is_fit_name
from pgmstudio.core.io.models.files import ModelFile, Properties
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.strategies import small_networks

ODD_NAMES = (
    'say "yes"',
    "a, b | c",
    "{curly} [square] (round);",
    "back\\slash \\u0041",
    "tab\tand\nline",
    " leading and trailing ",
    "*",
    "// no comment",
    "/* nor this */",
    "Größe·température",
    "日本語 😀",
    "<&amp;>]]>",
    "table",
    "default",
    "property",
    "variable",
    "unknown",
    "0.5",
    "-1e3",
    "nul\x00bell\x07",
    "\x85\u2028",
    "a.b?c-d%e",
    "'",
    "=",
)

texts = st.one_of(st.sampled_from(ODD_NAMES), st.text(min_size=1, max_size=8))
names = texts.filter(is_fit_name)
coordinates = st.floats(-1e6, 1e6) | st.integers(-500, 500).map(float)
points = st.tuples(coordinates, coordinates)
property_texts = st.one_of(
    st.sampled_from(["position = nowhere", 'title = "x', "observed yes", 'a = "b; c"']), texts
)


@st.composite
def odd_networks(draw: st.DrawFn) -> BayesianNetwork:
    """A small network whose variables and states have odd names."""
    network = draw(small_networks(max_variables=4, max_cardinality=3))
    titles = draw(
        st.lists(names, min_size=len(network.domain), max_size=len(network.domain), unique=True)
    )
    variables = []
    for variable, title in zip(network.domain, titles, strict=True):
        size = variable.cardinality
        states = draw(st.lists(names, min_size=size, max_size=size, unique=True))
        variables.append(Variable(title, tuple(states)))
    return network.with_domain(Domain(tuple(variables)))


@st.composite
def odd_files(draw: st.DrawFn) -> ModelFile:
    """An odd network with all other entries of a model file."""
    network = draw(odd_networks())
    some = st.sets(st.sampled_from(network.domain.names))
    return ModelFile(
        network,
        title=draw(st.just("") | texts),
        layout={name: draw(points) for name in sorted(draw(some))},
        properties=Properties(
            tuple(draw(st.lists(property_texts, max_size=2))),
            {name: (draw(property_texts),) for name in sorted(draw(some))},
            {name: (draw(property_texts),) for name in sorted(draw(some))},
        ),
    )


def same_network(one: BayesianNetwork, other: BayesianNetwork) -> bool:
    """Equal names, states, edges, and tables bit for bit."""
    return (
        one.domain == other.domain
        and one.dag == other.dag
        and all(a.tobytes() == b.tobytes() for a, b in zip(one.tables, other.tables, strict=True))
    )
