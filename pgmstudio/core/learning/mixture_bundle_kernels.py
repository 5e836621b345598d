"""Sums over the pairs of cells of rows, by bundles of cells that often stand in a row together.

Cells are numbered by rank; `size` neighbours are a bundle, and the part of a row in a bundle is one
of 2^size patterns. Rows with the same pattern add the same to all the cells of it, so what follows
in them is added up once, and then to every cell of the pattern.
"""

from __future__ import annotations

from typing import Any

from pgmstudio.core.compiled import compiled
from pgmstudio.core.learning.lane_kernels import gather, scatter

# What a place of a whole line costs, beside adding the shares of one row to one place.
_LINE_COST = 0.2


@compiled
def rank_cells(
    starts: Any,
    cells: Any,
    begin: int,
    end: int,
    rank_of: Any,
    ends: Any,
    rows: Any,
    places: Any,
    ranked: Any,
) -> None:
    """The rows begin … end − 1 with ranks, rising: sorted by rank, and then back into the rows."""
    for rank in range(ends.size):
        ends[rank] = 0
    for at in range(starts[begin], starts[end]):
        ends[rank_of[cells[at]]] += 1
    before = 0
    for rank in range(ends.size):
        count = ends[rank]
        ends[rank] = before
        before += count
    for row in range(begin, end):
        places[row - begin] = starts[row]
        for at in range(starts[row], starts[row + 1]):
            rank = rank_of[cells[at]]
            rows[ends[rank]] = row - begin
            ends[rank] += 1
    at = 0
    for rank in range(ends.size):
        while at < ends[rank]:
            row = rows[at]
            ranked[places[row]] = rank
            places[row] += 1
            at += 1


@compiled
def bundle_rows(
    starts: Any, ranked: Any, begin: int, end: int, size: int, counts: Any, rows: Any, later: Any
) -> None:
    """For the rows begin … end − 1, by bundle and pattern: the rows that have it, and after how
    many cells of the row the bundle ends.

    First only counts, in counts[bundle · 2^size + pattern + 1]; with room in `rows`, also lists.
    """
    for row in range(begin, end):
        at, last = starts[row], starts[row + 1]
        while at < last:
            bundle = ranked[at] // size
            low, pattern = bundle * size, 0
            while at < last and ranked[at] < low + size:
                pattern |= 1 << (ranked[at] - low)
                at += 1
            key = (bundle << size) + pattern
            if rows.size == 0:
                counts[key + 1] += 1
            else:
                rows[counts[key]], later[counts[key]] = row, at - starts[row]
                counts[key] += 1


@compiled
def add_bundles(
    starts: Any,
    ranked: Any,
    begin: int,
    size: int,
    keys: Any,
    ends: Any,
    rows: Any,
    later: Any,
    offsets: Any,
    shares: Any,
    width: int,
    members: Any,
    mass: Any,
    line: Any,
    sums: Any,
) -> None:
    """sums[offsets[i] + j] += shares[row − begin] for every two ranks i ≤ j of a row."""
    count, first = offsets.size, 0
    for at in range(keys.size):
        last = ends[at]
        low = (keys[at] >> size) * size
        above = min(low + size, count)
        ones, visits = 0, 0
        for rank in range(low, above):
            if (keys[at] >> (rank - low)) & 1:
                members[ones] = rank
                ones += 1
        for entry in range(first, last):
            row = rows[entry]
            visits += starts[row + 1] - starts[row] - later[entry]
        for k in range(width):
            mass[k] = 0.0
        gather(shares, -begin, width, rows, first, last, mass, 0)
        for one in range(ones):
            scatter(sums, offsets[members[one]], width, members, one, ones, mass, 0)
        if ones * visits <= visits + (ones + 1) * (count - above) * _LINE_COST:
            for one in range(ones):
                offset = offsets[members[one]]
                for entry in range(first, last):
                    row = rows[entry]
                    place, mine = starts[row] + later[entry], (row - begin) * width
                    scatter(sums, offset, width, ranked, place, starts[row + 1], shares, mine)
        else:
            length = (count - above) * width
            for place in range(length):
                line[place] = 0.0
            for entry in range(first, last):
                row = rows[entry]
                place, mine = starts[row] + later[entry], (row - begin) * width
                scatter(line, -above, width, ranked, place, starts[row + 1], shares, mine)
            for one in range(ones):
                there = (offsets[members[one]] + above) * width
                own = sums[there : there + length]
                for place in range(length):
                    own[place] += line[place]
        first = last
