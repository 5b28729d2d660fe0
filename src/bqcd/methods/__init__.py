"""Methods: a pair in, a verdict out. One file each, and the table of all."""
