"""The command ``bqcd``, as ``python -m bqcd``."""

from bqcd.cli import main

if __name__ == "__main__":
    main()
