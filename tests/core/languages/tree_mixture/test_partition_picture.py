"""The picture of blocks around a hidden variable."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.drawing.diagram import GraphPicture, NodeShape, PictureNode
from pgmstudio.core.drawing.layout.boxes import box_sizes, corners
from pgmstudio.core.drawing.layout.placement import place
from pgmstudio.core.drawing.strands import strand_width
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h_model
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.languages.tree.model import edge_information
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from tests.strategies import random_mixture

MODEL = tree_h_model(TreeHParams(), np.random.default_rng(0))


def test_only_mixtures_with_shared_edges_and_several_blocks_have_it() -> None:
    assert PARTITION in picture_names(MODEL)
    free = random_mixture(np.random.default_rng(1), 5, 3)
    assert PARTITION not in picture_names(free)


def test_the_hidden_variable_points_to_each_block_and_edges_stay_inside() -> None:
    picture = picture_of(MODEL, PARTITION)
    (root,) = [node for node in picture.nodes if node.shape is NodeShape.DOUBLE]
    heads = [edge.target for edge in picture.edges if edge.source == root.id]
    assert [picture.node[head].group for head in heads] == list(picture.groups)
    assert len(picture.groups) == 3
    inner = [edge for edge in picture.edges if edge.source != root.id]
    assert len(inner) == 9
    for edge in inner:
        assert picture.node[edge.source].group == picture.node[edge.target].group
    (edge,) = [e for e in inner if (e.source, e.target) == ("V1", "V2")]
    bits = sum(
        float(weight) * edge_information(tree)["V1", "V2"]
        for weight, tree in zip(MODEL.weights, MODEL.trees, strict=True)
    )
    assert edge.strands[0].width == pytest.approx(strand_width(bits))


def groups_of(picture: GraphPicture) -> dict[str, list[PictureNode]]:
    return {g: [n for n in picture.nodes if n.group == g] for g in picture.groups}


def test_blocks_stand_apart_and_heads_face_the_hidden_variable() -> None:
    picture = picture_of(MODEL, PARTITION)
    sizes = box_sizes(picture)
    placed = place(picture, method=picture.method, sizes=sizes)
    root = next(node.id for node in picture.nodes if node.group is None)
    boxes = []
    for nodes in groups_of(picture).values():
        inside = {node.id: placed[node.id] for node in nodes}
        boxes.append(corners(inside, {i: sizes[i] for i in inside}))
        head = next(node.id for node in nodes if node.variable is None)
        away = {node.id: abs(placed[node.id][1] - placed[root][1]) for node in nodes}
        assert away[head] == min(away.values())
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[number + 1 :]:
            gap = max(left - other[2], other[0] - right, top - other[3], other[1] - bottom)
            assert gap >= 60


def test_many_single_variables_stand_in_rows_around_the_middle() -> None:
    groups = tuple(f"Block {n}" for n in range(30))
    nodes = [PictureNode("h", "h", NodeShape.DOUBLE)]
    nodes += [PictureNode(f"v{n}", f"v{n}", variable=f"v{n}", group=groups[n]) for n in range(30)]
    picture = GraphPicture(tuple(nodes), (), groups, "blocks")
    placed = place(picture, method="blocks")
    heights = sorted({y for _, y in placed.values()})
    assert 2 < len(heights) < 30
    assert heights[0] < placed["h"][1] < heights[-1]
