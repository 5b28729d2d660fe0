"""Published accuracies of methods that came after the paper, on the paper's benchmarks.

Shares of right signs in results that were published pair by pair: those of LOCI, HECI, ROCHE
and GRCI with the code of ROCHE (Tran et al., SDM 2024), those of CDCI in a public comparison
of pairwise methods (bicausal, 2025), with the sign mended of its additive, location-scale and
multiplicative benchmarks, which is inverted there.
"""

from __future__ import annotations

from bqcd.show.reproduction.paper import AccuracyRow

# fmt: off
LATER = (
    AccuracyRow("LOCI", "loci",
        (0.78, 0.82, 0.73, 0.78, 1.00, 1.00, 0.94, 0.89, 1.00, 0.61), 0.63),
    AccuracyRow("GRCI", "grci",
        (0.77, 0.77, 0.77, 0.70, 1.00, 0.94, 0.98, 0.87, 0.88, 0.80), 0.82),
    AccuracyRow("HECI", "heci",
        (0.49, 0.55, 0.65, 0.56, 0.98, 0.55, 0.92, 0.55, 0.33, 0.61), 0.71),
    AccuracyRow("CDCI", "cdci",
        (0.81, 0.72, 0.76, 0.73, 1.00, 0.95, 1.00, 0.95, 0.95, 0.68), 0.64),
    AccuracyRow("ROCHE", "roche",
        (0.78, 0.82, 0.77, 0.81, 1.00, 1.00, 1.00, 1.00, 1.00, 0.71), 0.77),
)
# fmt: on
"""Methods published after the paper; LOCI decides by independence (HSIC)."""
