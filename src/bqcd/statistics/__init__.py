"""Statistical tools that several methods share: arrays in, arrays and numbers out."""
