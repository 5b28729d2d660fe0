"""Open edges of a graph oriented by verdicts on pairs."""
