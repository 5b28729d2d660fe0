"""How far a verdict may be trusted: stability, significance, dependence, settings."""
