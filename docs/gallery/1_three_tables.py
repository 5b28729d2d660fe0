"""Engel, GAGurine and a crash: three real tables.

Three tables that ship with bqcd, whose answers everybody knows: time is the cause of acceleration
in a crash, age of a substance in urine (GAGurine), and income of food expenditure (Engel).

Judged by bQCD alone. The crash is clear. Of GAGurine it cannot be told: the sign is right and most
halves of the rows agree, but sizes like this are common where the direction cannot be known, and
the rows stand in the order of age. Of Engel's households, the paper's own example, it cannot be
told either: the sign of the confidence is wrong, and worth no more than a coin. Look at the
right panel of each picture: at each quantile level it compares what the two directions leave
unexplained. Where the two dots are close, little was found.
"""

from textwrap import fill

from bqcd import assess
from bqcd.benchmark.datasets import TABLES, load_table

for name in ("mcycle", "gagurine", "engel"):
    about = TABLES[name]
    found = assess(about.cause, about.effect, table=load_table(name), method="bqcd")
    found.verdict.plot(f"{name}.png")
    print(found.headline)
    print(f"  halves of the rows that agree: {found.stability.agreeing:.0%}")
    print(f"  p-value at most:               {found.p_bound:.2g}")
    strength = found.verdict.strength
    print(fill(strength, 88, initial_indent="  ", subsequent_indent="  "), "\n")
