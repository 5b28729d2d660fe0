"""What comes in: columns, pairs, weights, tables and files."""
