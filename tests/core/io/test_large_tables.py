"""Tables that stay in their file give the counts, and the models, of the same rows in memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from pgmstudio.core.analysis.model_comparison import likelihood_of
from pgmstudio.core.data import chunked, counting
from pgmstudio.core.data.chunked import ChunkedData, PassProgress, RowsNotInMemoryError
from pgmstudio.core.data.counting import family_counter, joint_counts, pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, DataError, DataFileError
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.io.data import large_table
from pgmstudio.core.io.data.large_table import LargeTable, can_stay_in_file, open_table
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, write_data
from pgmstudio.core.languages.latent_class.learning.chunked_em import em_steps
from pgmstudio.core.languages.latent_class.learning.em import LatentEm, class_rows
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning.chunked_em import expected_pairs
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.learning import smoothing
from pgmstudio.core.learning.base import Finished, ImprovedModel
from pgmstudio.core.learning.cost_estimates import forecast_passes
from pgmstudio.core.learning.sparse_rows import sparse_rows
from pgmstudio.core.params import parse_params
from tests.strategies import random_classes, random_network, with_missing

ROWS = 700


@pytest.fixture(autouse=True)
def tiny_chunks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Chunks of a hundred rows or so, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(large_table, "CHUNK_CELLS", 1 << 10)
    monkeypatch.setattr(large_table, "CHUNK_BYTES", 1 << 11)
    monkeypatch.setattr(large_table, "SHARD_ROWS", 400)


def table(seed: int = 1, *, missing: float = 0.0, weights: bool = False) -> DataSet:
    rng = np.random.default_rng(seed)
    network = random_network(rng, 6, density=0.6, max_parents=2)
    data = network.sample(ROWS, rng)
    if missing:
        data = with_missing(rng, data, missing)
    if not weights:
        return data
    return DataSet(data.domain, data.codes, rng.integers(1, 5, ROWS).astype(float))


def written(folder: Path, data: DataSet, ending: str = ".parquet") -> Path:
    path = folder / f"table{ending}"
    write_data(path, data)
    return path


def opened(path: Path, **options: Any) -> LargeTable:
    data = open_table(path, ImportOptions(**options)).data
    assert isinstance(data, LargeTable)
    return data


def both(path: Path, **options: Any) -> tuple[DataSet, LargeTable]:
    """The same file in memory and in chunks."""
    return import_data(path, ImportOptions(**options)).data, opened(path, **options)


def result(key: str, data: DataSet, settings: dict[str, Any]) -> Finished:
    learner = learner_of(key)
    params = parse_params(learner.params_type, settings)
    (finished,) = [e for e in LearnTask(key, data, params, 3)(NEVER) if isinstance(e, Finished)]
    return finished


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("kind", [{}, {"missing": 0.1}, {"weights": True}])
def test_all_counts_are_those_in_memory(tmp_path: Path, ending: str, kind: Any) -> None:
    options = {"frequency": "weight"} if "weights" in kind else {}
    memory, large = both(written(tmp_path, table(**kind), ending), **options)
    assert len(large.source.pieces) > 3
    assert large.domain == memory.domain
    assert large.missing_counts == memory.missing_counts
    assert large.incomplete_row_count == memory.incomplete_row_count
    assert large.total_weight == memory.total_weight
    assert (pair_counts(large).flat == pair_counts(memory).flat).all()
    rng = np.random.default_rng(5)
    for size in (0, 1, 2, 3, 4):
        members = rng.permutation(6)[:size]
        assert (joint_counts(large, members) == joint_counts(memory, members)).all()
    one, other = (
        [*family_counter(data).joined((2, 0), np.array([1, 3, 5]))] for data in (memory, large)
    )
    for joined, again in zip(one, other, strict=True):
        assert (joined.flat == again.flat).all()
        assert (joined.offsets == again.offsets).all()


def test_one_pass_counts_all_tables_that_are_announced(tmp_path: Path) -> None:
    large = opened(written(tmp_path, table()))
    counter = family_counter(large)
    before = large.passes
    counter.prefetch([((0, 1), (2, 3)), ((4,), (5,)), ((3, 4), (1,))])
    assert large.passes == before + 1
    for members in ((0, 1, 2), (3, 1, 0), (5, 4), (1, 4, 3), (4, 3), (1, 2), (0,)):
        counter.counts(members)
    assert large.passes == before + 1  # those of fewer columns follow from those of more


FEW_STEPS = {"iterations": 100, "chains": 2}
SETTINGS: dict[str, dict[str, Any]] = {
    "bn.hill-climb": {"restarts": 1},
    "bn.kes": {"restarts": 2, "greediness": (1.0, 0.5)},
    "bn.mcmc": FEW_STEPS,
    "ldag.mcmc": FEW_STEPS,
    "mn.chordal": FEW_STEPS,
    "mn.stratified": FEW_STEPS,
}
LEARNERS = [key for key, learner in all_learners().items() if getattr(learner, "passes", None)]
OF_COUNTS = [
    key
    for key in LEARNERS
    if not learner_of(key).passes.has_sample and key != "bn.em"  # type: ignore[attr-defined]
]


HARD = ("tree.chow-liu", "bn.hill-climb", "bn.kes", "bn.tan", "bn.pc", "ldag.greedy")


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        *((key, {}) for key in OF_COUNTS if key != "mn.stratified"),  # slow, as mn.chordal is
        *((key, {"missing": 0.1}) for key in HARD),
        *((key, {"weights": True}) for key in HARD),
    ],
)
def test_learners_of_counts_give_the_same_model_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, kind: Any
) -> None:
    options = {"frequency": "weight"} if "weights" in kind else {}
    settings = SETTINGS.get(key, {}) | ({"missing": "available"} if "missing" in kind else {})
    memory, large = both(written(tmp_path, table(**kind)), **options)
    if "weights" in kind:  # very many rows: folds are drawn from the counts
        monkeypatch.setattr(smoothing, "MAX_CASES", 1000)
    here, there = result(key, memory, settings), result(key, large, settings)
    assert pickle.dumps(here.model) == pickle.dumps(there.model)
    assert there.measures == here.measures


@pytest.mark.parametrize("key", OF_COUNTS)
def test_the_forecast_is_the_number_of_passes_where_it_is_exact(tmp_path: Path, key: str) -> None:
    large = opened(written(tmp_path, table()))
    learner = learner_of(key)
    forecast = forecast_passes(learner, learner.params_type(), large)
    assert forecast is not None
    assert forecast.bytes == ROWS * 6
    if forecast.is_exact:
        result(key, large, {})
        assert large.passes == forecast.passes


@pytest.mark.parametrize("key", ["nb.latent", "mixture.trees", "mixture.trees-shared"])
def test_mixtures_of_a_table_as_large_as_a_sample_are_those_in_memory(
    tmp_path: Path, key: str
) -> None:
    memory, large = both(written(tmp_path, table()))
    here, there = (result(key, data, {"components": (2,)}) for data in (memory, large))
    assert pickle.dumps(here.model) == pickle.dumps(there.model)
    assert large.passes == 1


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_step_of_em_for_trees_on_chunks_is_that_in_memory(
    tmp_path: Path, is_shared: bool
) -> None:
    memory, large = both(written(tmp_path, table(weights=True)), frequency="weight")
    rows = sparse_rows(memory)
    priors = TreePriors(2.0, is_shared=is_shared)
    em, other = (TreeMixtureEm(rows, 3, priors) for _ in range(2))
    em.start_at_random(np.random.default_rng(1))
    other.put(em.taken())
    for _ in range(3):
        total, masses, pairs = expected_pairs(large, em.mixture(), NEVER)
        other.improve_by(pairs, masses, large.total_weight)
        assert em.improve() == pytest.approx(total * np.log(2), rel=1e-9)
        assert (em.forests == other.forests).all()
        for tree, again in zip(em.mixture().trees, other.mixture().trees, strict=True):
            for one, two in zip(tree.tables, again.tables, strict=True):
                assert one == pytest.approx(two, abs=1e-9)


def test_a_step_of_em_on_chunks_is_that_in_memory(tmp_path: Path) -> None:
    memory, large = both(written(tmp_path, table(missing=0.1, weights=True)), frequency="weight")
    model = random_classes(np.random.default_rng(1), 6, 3)
    tables = tuple(np.ones((3, card)) / card for card in memory.domain.cardinalities)
    rng = np.random.default_rng(2)
    tables = tuple(rng.dirichlet(np.ones(table.shape[1]), 3) for table in tables)
    model = LatentClasses(memory.domain, model.weights, tables)
    em = LatentEm(class_rows(memory), model, smoothing=0.5)
    steps = em_steps(large, model, 0.5, NEVER)
    for _ in range(5):
        bits = em.improve()
        stepped, again = next(steps)
        assert again == pytest.approx(bits, rel=1e-12)
        assert stepped.weights == pytest.approx(em.model.weights, rel=1e-10)
        for one, other in zip(stepped.tables, em.model.tables, strict=True):
            assert one == pytest.approx(other, rel=1e-10)


@pytest.mark.parametrize("key", ["nb.latent", "mixture.trees"])
def test_a_mixture_chosen_on_a_sample_is_fitted_to_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(chunked, "MAX_SAMPLE_CELLS", 1000 * 6)
    data = random_classes(np.random.default_rng(4), 6, 3).sample(3000, np.random.default_rng(5))
    large = opened(written(tmp_path, data))
    learner = learner_of(key)
    params = parse_params(learner.params_type, {"components": (3,), "restarts": 1})
    events = [*LearnTask(key, large, params, 3)(NEVER)]
    finished = events[-1]
    assert isinstance(finished, Finished)
    interim = [e for e in events if isinstance(e, ImprovedModel)][-1]
    bits = {
        which: likelihood_of(event.model, large).per_row
        for which, event in (("sample", interim), ("all", finished))
    }
    assert bits["all"] > bits["sample"]
    assert finished.measures["log2_likelihood_per_row"] == pytest.approx(bits["all"], abs=0.01)
    forecast = forecast_passes(learner, params, large)
    assert forecast is not None
    assert 3 <= large.passes - 2 <= forecast.passes  # two were for the likelihoods


def test_em_for_the_tables_of_a_network_is_that_in_memory(tmp_path: Path) -> None:
    memory, large = both(written(tmp_path, table(missing=0.1)))
    settings: dict[str, Any] = {"smoothing": 1.0, "missing": "em"}
    tree = result("bn.k2", memory, settings | {"missing": "available"}).model
    here, there = (
        result("bn.em", data, {"start": tree, "iterations": 5}) for data in (memory, large)
    )
    for one, other in zip(here.model.tables, there.model.tables, strict=True):  # type: ignore[attr-defined]
        assert one == pytest.approx(other, abs=1e-10)
    fitted = result("tree.chow-liu", large, settings)
    assert fitted.measures["log2_likelihood_per_row"] == pytest.approx(
        likelihood_of(fitted.model, memory).per_row
    )


def test_other_learners_refuse_with_a_message(tmp_path: Path) -> None:
    large = opened(written(tmp_path, table()))
    for key in all_learners().keys() - set(LEARNERS):
        reason = learner_of(key).refuses(large)
        assert reason is not None
        assert "rows" in reason
        with pytest.raises(DataError, match="memory"):
            next(iter(LearnTask(key, large, learner_of(key).params_type(), 0)(NEVER)))
    with pytest.raises(RowsNotInMemoryError):
        _ = large.codes


def test_a_run_reports_its_passes_and_stops_within_one(tmp_path: Path) -> None:
    large = opened(written(tmp_path, table()))
    read: list[int] = []

    class CountingSource(large_table.TableSource):
        def chunk(self, piece: large_table.Piece) -> Any:
            read.append(piece.number)
            return super().chunk(piece)

    source = CountingSource(**{name: getattr(large.source, name) for name in vars(large.source)})
    large = LargeTable(source, large.facts)
    switch = StopSwitch()
    seen = []
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        for event in LearnTask(
            "tree.chow-liu", large, learner_of("tree.chow-liu").params_type(), 0
        )(switch):
            if isinstance(event, Progress) and "pass" in event.counters:
                seen.append(event)
                switch.cancel()
    assert seen
    assert large.passes == 0


def test_missing_cells_of_rows_in_chunks_are_reported_with_a_way_to_complete_them(
    tmp_path: Path,
) -> None:
    large = opened(written(tmp_path, table(missing=0.1)))
    params = learner_of("tree.chow-liu").params_type()
    events = LearnTask("tree.chow-liu", large, params, 0)(NEVER)
    notes = " ".join(event.message for event in events if isinstance(event, Note))
    assert "read in chunks, so missing cells are not completed" in notes
    assert "Import the table, or a part of it" in notes


def test_progress_moves_within_a_pass(tmp_path: Path) -> None:
    large = opened(written(tmp_path, table()))
    seen: list[PassProgress] = []
    with large.reporting(seen.append):
        pair_counts(large)
    fractions = [at.fraction for at in seen]
    assert fractions == sorted(fractions)
    assert len(fractions) == len(large.source.pieces) + 1
    assert fractions[-1] == 1


@pytest.mark.parametrize("text", ["a,b\n", "a,b\n\n\n"])
def test_a_text_without_rows_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.csv"
    path.write_text(text)
    with pytest.raises(DataFileError, match="has no rows"):
        opened(path)


def test_a_damaged_or_unwritable_cache_is_as_good_as_none(tmp_path: Path) -> None:
    path = written(tmp_path, table())
    first = opened(path)
    (record,) = large_table.tables_folder().glob("*.opened")
    record.write_bytes(b"\x80\x04K\xff0000.")
    assert opened(path).fingerprint == first.fingerprint
    record.unlink()
    record.mkdir()
    assert opened(path).fingerprint == first.fingerprint


def test_known_pairs_are_looked_up_without_finding_their_places_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = opened(written(tmp_path, table()))
    pair_counts(large)
    monkeypatch.setattr(counting, "pair_offsets", None)  # takes a moment with many columns
    columns = range(len(large.domain))
    family_counter(large).prefetch([((v,), [w for w in columns if w != v]) for v in columns])
    assert large.passes == 1


def test_texts_are_split_at_the_ends_of_records(tmp_path: Path) -> None:
    cells = ["a", "b, c", 'say "d"', "e\nf", ""]
    rng = np.random.default_rng(2)
    frame = polars.DataFrame({name: rng.choice(cells, ROWS) for name in ("one", "two\nlines")})
    path = tmp_path / "quoted.csv"
    frame.write_csv(path)
    memory, large = both(path)
    assert len(large.source.pieces) > 3
    assert large.domain == memory.domain
    assert (pair_counts(large).flat == pair_counts(memory).flat).all()


def test_states_are_found_as_an_import_finds_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = polars.DataFrame(
        {
            "age": rng.integers(0, 90, ROWS),
            "sex": rng.choice(["f", "m", "NA"], ROWS),
            "code": rng.choice([1.0, 2.0, None], ROWS).tolist(),
            "id": np.arange(ROWS),
        }
    )
    path = tmp_path / "people.parquet"
    frame.write_parquet(path)
    with pytest.raises(DataFileError, match="Discretise"):
        open_table(path)
    for options in (
        {"leave_out": ("id", "age")},
        {"bins": 4, "leave_out": ("id",)},
        {"as_states": ("age",), "leave_out": ("id",), "missing_as_state": True},
    ):
        memory, large = both(path, **options)
        assert large.domain == memory.domain
        assert large.missing_counts == memory.missing_counts
        assert (pair_counts(large).flat == pair_counts(memory).flat).all()


def test_a_file_that_changed_is_refused_and_codes_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, table())
    large = opened(path)
    path.unlink()
    assert pair_counts(large).flat.sum() == ROWS * 15  # from the codes that are kept
    monkeypatch.setattr(large_table, "_CACHE_PART", 0.0)
    other = written(tmp_path, table(2))
    unkept = opened(other)
    assert not unkept.source.cache_key
    assert pair_counts(unkept).flat.sum() == ROWS * 15
    other.write_bytes(b"other rows")
    unkept.counted.clear()
    with pytest.raises(DataFileError, match="changed"):
        joint_counts(unkept, (0, 1, 2))
    with pytest.raises(DataFileError, match="chunks"):
        open_table(tmp_path / "table.xlsx")
    assert can_stay_in_file("big.CSV")


def test_the_likelihood_of_a_model_is_that_in_memory(tmp_path: Path) -> None:
    memory, large = both(written(tmp_path, table(missing=0.1)))
    model = result("tree.chow-liu", memory, {"smoothing": 1.0}).model
    here, there = likelihood_of(model, memory), likelihood_of(model, large)
    assert there.log2_likelihood == pytest.approx(here.log2_likelihood, rel=1e-12)
    assert isinstance(pickle.loads(pickle.dumps(large)), ChunkedData)
