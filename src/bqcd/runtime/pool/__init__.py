"""Worker processes: how they start, what they are sent, how they end."""

from __future__ import annotations

from bqcd.runtime.pool.queue import Order, answers_in_order, results_of
from bqcd.runtime.pool.serving import order_bytes
from bqcd.runtime.pool.starting import (
    check_may_start,
    ctrl_c_kept_from_new_ones,
    ending,
    no_main_module,
    one_thread_each,
    starting_context,
)
from bqcd.runtime.pool.watching import end_with_parent

__all__ = [
    "Order",
    "answers_in_order",
    "check_may_start",
    "ctrl_c_kept_from_new_ones",
    "end_with_parent",
    "ending",
    "no_main_module",
    "one_thread_each",
    "order_bytes",
    "results_of",
    "starting_context",
]
