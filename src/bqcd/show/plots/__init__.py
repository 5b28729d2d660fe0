"""Pictures: of a verdict, and of benchmarks.

Nothing is computed here: what is drawn comes in as arrays and small records, and the
matplotlib figure comes back, saved if a path is given.
"""

from bqcd.show.plots.canvas import save_figure
from bqcd.show.plots.codes import plot_code_lengths
from bqcd.show.plots.graphs import plot_graph
from bqcd.show.plots.radars import plot_spider
from bqcd.show.plots.rankings import plot_decision_rates, plot_roc
from bqcd.show.plots.scatters import QuantilePanel, plot_gallery, plot_motivation
from bqcd.show.plots.sensitivity import plot_sensitivity
from bqcd.show.plots.sweeps import plot_accuracy_dots, plot_lines, plot_scaling
from bqcd.show.plots.verdicts import plot_verdict

__all__ = [
    "QuantilePanel",
    "plot_accuracy_dots",
    "plot_code_lengths",
    "plot_decision_rates",
    "plot_gallery",
    "plot_graph",
    "plot_lines",
    "plot_motivation",
    "plot_roc",
    "plot_scaling",
    "plot_sensitivity",
    "plot_spider",
    "plot_verdict",
    "save_figure",
]
