"""Linear non-Gaussian acyclic model.

If the effect is a multiple of the cause plus noise, and not both are Gaussian, then the
residuals of the effect are independent of the cause, and those of the cause are not
independent of the effect. Independent component analysis finds the cause and the noise, or
a measure of independence is compared for the two regressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, hypot, isfinite, log, pi, sin, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from bqcd.data.pair import Pair
from bqcd.methods.cards import MethodCard
from bqcd.methods.verdict import DirectedScores, Verdict
from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.settings import check_choice, check_flag
from bqcd.statistics.codes.entropy import LOG_COSH_OF_GAUSSIAN, mean_log_cosh, moment_entropy
from bqcd.statistics.dependence.gaussian_kernels import gaussian_factor
from bqcd.statistics.ordering import row_order
from bqcd.statistics.scaling import unit_range, unit_variance

Measure = Literal["ica", "likelihood", "kernel"]

MEASURES = {
    "ica": "weight of the supposed effect in the supposed cause",
    "likelihood": "entropy of cause and residuals",
    "kernel": "kernel mutual information of cause and residuals",
}
# A line leaves less than this share of the variance; what it leaves is rounding.
COLLINEAR = 1e-24
# FastICA ends when no direction turns by more than this. Where it has not after so many steps,
# it mostly goes round in circles and hangs on the last digit: angles are tried instead.
LEAST_TURN = 1e-14
MOST_STEPS = 60
ANGLES = 16
# The weight is estimated on so many blocks of rows; it is pruned where its mean over them
# is smaller than its spread.
BLOCKS = 10


@dataclass(frozen=True, kw_only=True)
class LiNGAM:
    """LiNGAM on two variables.

    Parameters
    ----------
    measure : {"ica", "likelihood", "kernel"}, default="ica"
        How the direction is found: by independent component analysis [1]_; by the ratio of
        the likelihoods of the two linear models, with entropies from two moments [2]_; or
        by the kernel mutual information of cause and residuals, as in DirectLiNGAM [3]_.
    prune : bool, default=True
        With "ica": leave the pair undecided where the weight, estimated on ten blocks of
        rows, is on average smaller than its standard deviation over them. The rows are
        dealt to the blocks at random.
    standardise : bool, default=False
        With "ica": give both columns variance 1 first. As published, the matrix of weights
        is in units of the data, and so the direction depends on them.

    Notes
    -----
    The two other measures know no units. FastICA, with log cosh, starts at the columns
    themselves, made uncorrelated as evenly as can be, and draws nothing. Where it has not
    settled after 60 steps, as on one in six benchmark pairs, the largest value of its
    contrast decides.

    References
    ----------
    .. [1] Shimizu, Hoyer, Hyvärinen, Kerminen. A linear non-Gaussian acyclic model for
       causal discovery. JMLR 7, 2006.
    .. [2] Hyvärinen, Smith. Pairwise likelihood ratios for estimation of non-Gaussian
       structural equation models. JMLR 14, 2013.
    .. [3] Shimizu et al. DirectLiNGAM: a direct method for learning a linear non-Gaussian
       structural equation model. JMLR 12, 2011.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=500)
    >>> y = 2.0 * x + rng.uniform(size=500)
    >>> LiNGAM().decide(Pair(x, y, "dose", "response"), rng).cause
    'dose'
    """

    measure: Measure = "ica"
    prune: bool = True
    standardise: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        check_choice("LiNGAM", "measure", self.measure, get_args(Measure))
        check_flag("LiNGAM", "prune", self.prune)
        check_flag("LiNGAM", "standardise", self.standardise)

    def decide(self, pair: Pair, rng: Generator) -> Verdict:
        """Compare the two linear models.

        With "ica" the size of the confidence is that of the weight, in standard deviations.
        """
        if self.measure == "ica":
            return self._by_components(pair, rng)
        compare = _residual_entropy if self.measure == "likelihood" else _residual_dependence
        scores = compare(pair.x, pair.y), compare(pair.y, pair.x)
        evidence = DirectedScores(*scores, MEASURES[self.measure], len(pair))
        return Verdict(scores[1] - scores[0], pair, evidence)

    def _by_components(self, pair: Pair, rng: Generator) -> Verdict:
        """Verdict of independent component analysis."""
        if self.standardise:
            first, second, sign = _canonical(unit_range(pair.x), unit_range(pair.y))
            log_ratio = 0.0
        else:
            first, second, sign = _canonical(pair.x, pair.y)
            log_ratio = _log_deviation(first) - _log_deviation(second)
        columns = np.stack((unit_variance(first), unit_variance(second)))
        forward, backward = _weights(columns, log_ratio)
        if sign == 0:
            forward = backward = max(forward, backward)
        # +1 for first -> second, -1 for second -> first.
        way = int(np.sign(backward - forward))
        mean, spread = _block_weights(columns[:: way or 1], rng)
        pruned = self.prune and abs(mean) < spread
        x_to_y, y_to_x = (backward, forward) if sign < 0 else (forward, backward)
        evidence = DirectedScores(
            x_to_y,
            y_to_x,
            MEASURES["ica"],
            len(pair),
            {"weight": mean, "weight_spread": spread, "pruned": pruned},
        )
        confidence = 0.0 if pruned else sign * way * abs(mean)
        return Verdict(confidence, pair, evidence)


def _canonical(x: Vector, y: Vector) -> tuple[Vector, Vector, int]:
    """Columns in an order of columns and rows that does not depend on theirs, and its sign.

    The sign is 1 if the first column is still the first, -1 if they were exchanged, and 0
    if there is no telling them apart.
    """
    by_x, by_y = row_order(x, y), row_order(y, x)
    as_given = np.concatenate((x[by_x], y[by_x]))
    exchanged = np.concatenate((y[by_y], x[by_y]))
    at = int(np.argmax(as_given != exchanged))
    if as_given[at] < exchanged[at]:
        return x[by_x], y[by_x], 1
    return y[by_y], x[by_y], -1 if as_given[at] > exchanged[at] else 0


def _log_deviation(column: Vector) -> float:
    """Logarithm of the standard deviation, also where that is no finite number."""
    low, high = float(column.min()), float(column.max())
    log_range = log(high - low) if isfinite(high - low) else log(0.5 * high - 0.5 * low) + log(2.0)
    return log_range + log(float(unit_range(column).std()))


def _weights(columns: Matrix, log_ratio: float) -> tuple[float, float]:
    """Weights of the second column in the first, and of the first in the second.

    Parameters
    ----------
    columns : ndarray of shape (2, n)
        Columns of mean 0 and variance 1.
    log_ratio : float
        Logarithm of the first column's standard deviation over that of the second.
    """
    n = columns.shape[1]
    along, across = columns[0] + columns[1], columns[0] - columns[1]
    spreads = float(along @ along) / n, float(across @ across) / n
    if min(spreads) < COLLINEAR:
        return 0.0, 0.0
    # White, and nearest to the columns: the root of the inverse covariance times these.
    plus, minus = 1.0 / sqrt(2.0 * spreads[0]), 1.0 / sqrt(2.0 * spreads[1])
    white = np.stack((plus * along + minus * across, plus * along - minus * across))
    whitening = np.array([[plus + minus, plus - minus], [plus - minus, plus + minus]])
    unmixing = _independent_directions(white) @ whitening
    # Components belong to the columns such that Σ 1 / |diagonal| is least.
    ratio = exp(min(max(log_ratio, -300.0), 300.0))
    sizes = np.maximum(np.abs(unmixing), 1e-150)
    if ratio / sizes[0, 0] + 1.0 / sizes[1, 1] > ratio / sizes[1, 0] + 1.0 / sizes[0, 1]:
        sizes = sizes[::-1]
    return (
        float(sizes[0, 1] / sizes[0, 0] * ratio),
        float(sizes[1, 0] / sizes[1, 1] / ratio),
    )


def _independent_directions(white: Matrix) -> Matrix:
    """Orthogonal matrix whose rows give the components: FastICA with log cosh, both at once."""
    n = white.shape[1]
    rows = np.eye(2)
    for _ in range(MOST_STEPS):
        bent = np.tanh(rows @ white)
        slopes = 1.0 - (bent * bent).sum(axis=1) / n
        turned = _nearest_orthogonal(bent @ white.T / n - slopes[:, None] * rows)
        turn = np.abs(1.0 - np.abs((turned * rows).sum(axis=1))).max()
        rows = turned
        if turn < LEAST_TURN:
            return rows
    return _least_gaussian_directions(white)


def _nearest_orthogonal(matrix: Matrix) -> Matrix:
    """Orthogonal matrix nearest to one of shape (2, 2): M + |det M| M⁻ᵀ, scaled."""
    (a, b), (c, d) = matrix.tolist()
    side = 1.0 if a * d >= b * c else -1.0
    along, across = a + side * d, b - side * c
    size = hypot(along, across)
    if size == 0.0:
        return np.eye(2)
    along, across = along / size, across / size
    return np.array([[along, across], [-side * across, side * along]])


def _least_gaussian_directions(white: Matrix) -> Matrix:
    """Orthogonal matrix with the largest contrast, which FastICA looks for.

    The contrast is Σ (E log cosh u - its value for a Gaussian)² over the two components u.
    Its best angle of a grid is refined by halving.
    """
    step = 0.5 * pi / ANGLES
    excess = [
        mean_log_cosh(_rotation(step * at)[0] @ white) - LOG_COSH_OF_GAUSSIAN
        for at in range(2 * ANGLES)
    ]
    contrast = np.square(excess).reshape(2, ANGLES).sum(axis=0)
    low = step * (int(contrast.argmax()) - 1)
    high = low + 2.0 * step
    for _ in range(28):
        angle = 0.5 * (low + high)
        low, high = (angle, high) if _contrast_slope(white, angle) > 0.0 else (low, angle)
    return _rotation(0.5 * (low + high))


def _contrast_slope(white: Matrix, angle: float) -> float:
    """Half the derivative of the contrast by the angle."""
    one, other = _rotation(angle) @ white
    return (mean_log_cosh(one) - LOG_COSH_OF_GAUSSIAN) * float((np.tanh(one) * other).mean()) - (
        mean_log_cosh(other) - LOG_COSH_OF_GAUSSIAN
    ) * float((np.tanh(other) * one).mean())


def _rotation(angle: float) -> Matrix:
    return np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])


def _block_weights(columns: Matrix, rng: Generator) -> tuple[float, float]:
    """Mean and standard deviation over blocks of rows of the second column's weight."""
    n = columns.shape[1]
    blocks = min(BLOCKS, n // 2)
    order = rng.permutation(n)[: n // blocks * blocks]
    cause, effect = columns[:, order].reshape(2, blocks, -1)
    cause = cause - cause.mean(axis=1, keepdims=True)
    within = cause.shape[1] - 1
    weights = (cause * effect).sum(axis=1) / (np.square(cause).sum(axis=1) + 1e-10 * within)
    return float(weights.mean()), float(weights.std(ddof=1))


def _residuals(cause: Vector, effect: Vector) -> tuple[Vector, Vector]:
    """Cause with mean 0 and variance 1, and what a line leaves of the effect scaled alike."""
    order = row_order(cause, effect)
    given, target = unit_variance(cause)[order], unit_variance(effect)[order]
    return given, target - float(given @ target) / float(given @ given) * given


def _residual_entropy(cause: Vector, effect: Vector) -> float:
    """Entropies of the cause and of the residuals, both with variance 1, added up."""
    given, left = _residuals(cause, effect)
    squares = float(np.square(given).mean()), float(np.square(left).mean())
    if squares[1] < COLLINEAR:
        return 0.0
    return sum(
        moment_entropy(column / sqrt(square))
        for column, square in zip((given, left), squares, strict=True)
    )


def _residual_dependence(cause: Vector, effect: Vector) -> float:
    """Kernel mutual information of cause and residuals.

    -½ log det(I - C Cᵀ) with C = (K + εI)⁻¹ K L (L + εI)⁻¹ for the Gram matrices K of the
    cause and L of the residuals.
    """
    given, left = _residuals(cause, effect)
    if float(np.square(left).mean()) < COLLINEAR:
        return 0.0
    n = len(given)
    scale = sqrt(float(np.square(given).mean()))
    shrinkage, bandwidth = (2e-3, 0.5) if n > 1000 else (2e-2, 1.0)
    one, other = (
        _shrunk(column / scale, bandwidth, 0.5 * n * shrinkage) for column in (given, left)
    )
    correlations = np.linalg.svd(one.T @ other, compute_uv=False)
    return -0.5 * float(np.log1p(-np.square(correlations)).sum())


def _shrunk(column: Vector, bandwidth: float, shrinkage: float) -> Matrix:
    """Eigenvectors of the Gram matrix K, each times its eigenvalue in (K + εI)⁻¹ K."""
    factor = gaussian_factor(column, bandwidth)
    values, vectors = np.linalg.eigh(factor.T @ factor)
    values = np.maximum(values, 0.0)
    shrunk: Matrix = factor @ (vectors * (np.sqrt(values) / (values + shrinkage)))
    return shrunk


CARDS = (
    MethodCard(
        name="lingam",
        build=LiNGAM,
        assumes="Y = bX + noise, not both Gaussian; X and Y in comparable units",
        reference="Shimizu et al.: A linear non-Gaussian acyclic model for causal discovery, "
        "JMLR 2006",
        cost="n log n",
        seconds=0.001,
        seconds_beyond=(0.0046, 0.067, 0.84),
        uses_chance=True,
    ),
)
"""Independent components, as the paper runs them; the other measures are a setting."""
