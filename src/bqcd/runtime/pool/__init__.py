"""Worker processes: how they start, what they are sent, how they end."""

from __future__ import annotations

from bqcd.runtime.pool.answers import answers_in_order
from bqcd.runtime.pool.serving import AtWork, sendable, unwatched
from bqcd.runtime.pool.starting import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    no_main_module,
    one_thread_each,
)
from bqcd.runtime.pool.workers import Loss, Order, Pool, tried_again

__all__ = [
    "AtWork",
    "Loss",
    "Order",
    "Pool",
    "answers_in_order",
    "check_may_start",
    "ctrl_c_kept_from_new_ones",
    "no_main_module",
    "one_thread_each",
    "sendable",
    "tried_again",
    "unwatched",
]
