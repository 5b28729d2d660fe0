"""The paper, reproduced: each table and figure from our own code, beside the printed numbers."""

from bqcd.show.reproduction.targets import TARGETS, Target, reproduce

__all__ = ["TARGETS", "Target", "reproduce"]
