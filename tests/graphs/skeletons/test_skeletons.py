import sys

import numpy as np
import pytest

from bqcd.errors import InvalidSettingError, MissingPackageError, UnknownNameError
from bqcd.graphs.skeletons import (
    CAM,
    FCI,
    GES,
    PC,
    SKELETONS,
    QuantileCAM,
    QuantileRESIT,
    learn_graph,
    make_learner,
)


def curve():
    x, noise = np.random.default_rng(0).normal(size=(2, 100))
    return {"y": x**2 + 0.5 * noise, "x": x}


def test_the_table_lists_what_learns_graphs():
    native = {"cam": CAM, "qcam": QuantileCAM, "qresit": QuantileRESIT}
    assert dict(SKELETONS) == {**native, "fci": FCI, "ges": GES, "pc": PC}


def test_settings_reach_the_learner():
    assert make_learner("cam", cutoff=0.01) == CAM(cutoff=0.01)
    assert learn_graph(curve(), name="cam").directed == [("x", "y")]
    assert learn_graph(curve(), name="cam", cutoff=1e-300).directed == []


def test_unknown_names_and_settings_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"learner 'cma'\. Nearest: 'cam'"):
        learn_graph(curve(), name="cma")
    with pytest.raises(UnknownNameError, match=r"'pc' has no setting 'alhpa'\. Nearest: 'alpha'"):
        learn_graph(curve(), name="pc", alhpa=0.1)
    with pytest.raises(InvalidSettingError, match="alpha of PC"):
        learn_graph(curve(), name="pc", alpha=-1.0)


class Absent:
    """A finder that finds causal-learn nowhere."""

    def find_spec(self, name, path=None, target=None):
        if name == "causallearn":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize("name", ["pc", "ges"])
def test_a_missing_package_is_named(name, monkeypatch):
    for module in [key for key in sys.modules if key.partition(".")[0] == "causallearn"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(MissingPackageError, match=r"'causallearn'.*pip install 'bqcd\[graphs\]'"):
        learn_graph(curve(), name=name)
