"""Models of a mean and a scale that both change."""
