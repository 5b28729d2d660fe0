"""A page on this machine that asks and answers: choose columns and settings, see, save."""

from bqcd.show.explorer.server import Explorer

__all__ = ["Explorer"]
