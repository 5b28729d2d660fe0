import numpy as np
import pytest

from bqcd.errors import InvalidSettingError, InvalidTableError
from bqcd.graphs.partial import PartialGraph
from bqcd.graphs.skeletons import GES, PC
from bqcd.graphs.skeletons.causal_learn import from_end_marks

pytest.importorskip("causallearn")


def collider(n=300):
    a, b, noise = np.random.default_rng(0).normal(size=(3, n))
    return {"c": a + b + 0.5 * noise, "b": b, "a": a}


def chain(n=300):
    x, first, second = np.random.default_rng(1).normal(size=(3, n))
    return {"z": x + first + second, "x": x, "y": x + first}


LEARNERS = [PC(), PC(test="copula"), GES()]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_collider_is_found(learner):
    assert learner.learn(collider()) == PartialGraph(directed=["ac", "bc"])


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_chain_is_left_undirected(learner):
    assert learner.learn(chain()) == PartialGraph(undirected=["xy", "yz"])


def test_the_kernel_test_finds_a_collider_without_correlation():
    a, b, noise = np.random.default_rng(0).normal(size=(3, 150))
    columns = {"a": a, "b": b, "c": a**2 + b**2 + 0.3 * noise}
    assert PC(test="kernel", alpha=0.01).learn(columns) == PartialGraph(directed=["ac", "bc"])
    assert PC(alpha=0.01).learn(columns).directed == []


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_and_the_units_of_columns_change_nothing(learner):
    columns = collider() | chain()
    turned = {name: 1e-200 * columns[name] for name in sorted(columns, reverse=True)}
    assert learner.learn(turned) == learner.learn(columns)


def test_increasing_changes_of_columns_do_not_matter_to_the_copula():
    columns = collider()
    changed = {name: np.exp(3.0 * column) for name, column in columns.items()}
    assert PC(test="copula").learn(changed) == PC(test="copula").learn(columns)
    assert PC().learn(changed) != PC().learn(columns)


def test_heavier_penalties_leave_fewer_edges():
    columns = {name: column[:40] for name, column in chain().items()}
    assert GES(penalty=100.0).learn(columns).undirected == []


def test_a_smaller_level_leaves_fewer_edges():
    rng = np.random.default_rng(2)
    columns = {str(place): column for place, column in enumerate(rng.normal(size=(8, 50)))}
    many, few = PC(alpha=0.5).learn(columns), PC(alpha=0.001).learn(columns)
    assert len(many.skeleton().undirected) > len(few.skeleton().undirected) == 0


def test_nothing_is_printed(capfd):
    PC().learn(collider())
    GES().learn(collider())
    assert capfd.readouterr() == ("", "")


def test_tables_with_more_columns_than_rows_are_taken():
    rng = np.random.default_rng(3)
    columns = {f"v{place}": column for place, column in enumerate(rng.normal(size=(9, 12)))}
    assert len(PC(alpha=0.001).learn(columns).nodes) == 9


@pytest.mark.parametrize("learner", [PC(), GES()])
def test_columns_that_depend_on_others_are_named(learner):
    columns = chain() | {"zz": 2.0 * chain()["y"] - 1.0}
    with pytest.raises(InvalidTableError, match="'zz' does on those before it"):
        learner.learn(columns)


@pytest.mark.parametrize("settings", [{"test": "chisq"}, {"alpha": 0.0}, {"alpha": 1.0}])
def test_settings_of_pc_are_checked(settings):
    with pytest.raises(InvalidSettingError, match=next(iter(settings))):
        PC(**settings)


def test_marks_become_edges_and_two_arrows_a_note():
    marks = np.zeros((4, 4), dtype=int)
    marks[0, 1], marks[1, 0] = -1, 1  # a --> b
    marks[1, 2], marks[2, 1] = -1, -1  # b --- c
    marks[2, 3], marks[3, 2] = 1, 1  # c <-> d
    found = from_end_marks(list("abcd"), marks)
    assert found.graph == PartialGraph(directed=["ab"], undirected=["bc", "cd"])
    assert [note.sentence for note in found.notes] == [
        "'c' <-> 'd' of contradictory colliders is left undirected."
    ]


def test_cycles_lose_their_directions():
    marks = np.zeros((4, 4), dtype=int)
    for tail, head in ((0, 1), (1, 2), (2, 0), (2, 3)):
        marks[tail, head], marks[head, tail] = -1, 1
    found = from_end_marks(list("abcd"), marks)
    assert found.graph == PartialGraph(directed=["cd"], undirected=["ab", "bc", "ac"])
    assert [note.sentence for note in found.notes] == [
        "The cycle a -> b -> c -> a is left undirected."
    ]
