"""The version, for whoever writes it down beside results."""

__version__ = "0.2.0"
