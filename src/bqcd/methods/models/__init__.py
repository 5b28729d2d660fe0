"""Models and compiled code of methods that need more than a file."""
