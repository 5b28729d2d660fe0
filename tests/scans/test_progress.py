from __future__ import annotations

import pytest

from bqcd.errors import InvalidSettingError
from bqcd.scans.progress import ScanProgress


def test_progress_counts_pairs_unless_told_otherwise():
    progress = ScanProgress(done=30, total=40, before=20)
    assert (progress.stage, progress.share) == ("pairs", 0.75)
    assert ScanProgress(done=0, total=0).share == 1.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"done": 41}, "done of ScanProgress must be an integer from 0 to 40, got 41"),
        ({"before": 31}, "before of ScanProgress must be an integer from 0 to 30, got 31"),
        ({"total": -1}, "total of ScanProgress"),
        ({"stage": "tiles"}, "stage of ScanProgress must be one of 'columns', 'pairs'"),
    ],
)
def test_counts_that_contradict_each_other_are_refused(wrong, words):
    with pytest.raises(InvalidSettingError, match=words):
        ScanProgress(**({"done": 30, "total": 40, "before": 20} | wrong))
