"""The three mechanisms of the paper's first figure.

Noise can be added to a curve, multiply it, or both. A method that looks at the mean only has
nothing to see in the second case, where the mean is zero everywhere; quantiles see the fan.

The table below shows the confidence with three levels and with the median alone, over 20 samples
of 1,000 rows. Positive is right. The paper does not tell its curve; here it is 2 sin 2x.
"""

import numpy as np

from bqcd import Pair, decide_pair
from bqcd.discovery.code_lengths import MECHANISMS
from bqcd.show.plots import QuantilePanel, plot_motivation
from bqcd.show.views import DRAWN_LEVELS, Curves

panels = []
print(f"{'mechanism':16}{'three levels':>14}{'right':>8}{'median alone':>15}{'right':>8}")
for name, mechanism in MECHANISMS.items():
    rng = np.random.default_rng(1)
    pairs = [Pair(*mechanism.sample(1000, rng)) for _ in range(20)]
    several = [decide_pair(pair).confidence for pair in pairs]
    median = [decide_pair(pair, n_levels=1).confidence for pair in pairs]
    cells = [
        f"{np.mean(found):{width}.4f}{np.mean(np.array(found) > 0):8.2f}"
        for found, width in ((several, 14), (median, 15))
    ]
    print(f"{name:16}" + "".join(cells))

    pair = pairs[0]
    at = np.linspace(pair.x.min(), pair.x.max(), 200)
    curves = Curves(at, mechanism.quantiles(at, DRAWN_LEVELS))
    panels.append(QuantilePanel(name, pair.x, pair.y, curves, note=decide_pair(pair).headline))

plot_motivation(panels, path="three-mechanisms.png")
