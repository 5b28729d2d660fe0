"""Methods to compare with: one file each, with the class, what it rests on and its cards."""

from bqcd.baselines.chance import AlwaysFirst, Coin
from bqcd.baselines.igci import IGCI

__all__ = ["IGCI", "AlwaysFirst", "Coin"]
