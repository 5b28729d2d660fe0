"""Whether numbers depend on each other."""
