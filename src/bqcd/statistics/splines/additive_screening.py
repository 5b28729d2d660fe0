"""What one more term would do for an additive model, without fitting it for each anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.statistics.splines.additive_models import BEYOND, EXACT, RIDGE, AdditiveFit
from bqcd.statistics.splines.smooth_terms import SmoothTerms

# Between the logarithms of penalties that are tried for the new term.
GRID_STEP = 0.25


def residual_sums_with(
    terms: SmoothTerms,
    fit: AdditiveFit,
    which: Sequence[int],
    others: Sequence[int],
    products: Vector,
    *,
    total: float,
) -> Vector:
    """Sums of squared residuals, were each of some other terms added to a model.

    Only the penalty of the new term is found by generalised cross-validation, those of the
    others are held. The equations of the model are solved once for all new terms, what is
    left for each is as small as its basis.

    Parameters
    ----------
    terms : SmoothTerms
        Terms to choose from.
    fit : AdditiveFit
        The model, as :func:`bqcd.statistics.splines.additive_models.fitted` returns it.
    which : sequence of int
        Terms of the model.
    others : sequence of int
        Terms tried, one at a time.
    products : ndarray of shape (m,)
        Products of the functions of all terms with the target.
    total : float
        Sum of squares of the target about its mean.

    Examples
    --------
    >>> from bqcd.statistics.splines.additive_models import fitted
    >>> from bqcd.statistics.splines.smooth_terms import smooth_terms
    >>> rng = np.random.default_rng(0)
    >>> x, y, z, noise = rng.normal(size=(4, 300))
    >>> target = np.sin(x) + y**2 + noise
    >>> target -= target.mean()
    >>> terms = smooth_terms([x, y, z])
    >>> products, total = terms.products(target), float(target @ target)
    >>> fit = fitted(terms, [0], products, total=total)
    >>> sums = residual_sums_with(terms, fit, [0], [1, 2], products, total=total)
    >>> (sums / fit.residual_sum).round(1)
    array([0.3, 1. ])
    """
    old, new = terms.places(which), terms.places(others)
    penalties = np.exp(np.repeat(fit.log_penalties, fit.widths)) * terms.stiffness(which) + RIDGE
    shared = terms.gram[np.ix_(old, new)]
    moved = fit.spread @ shared
    bent = penalties * fit.coefficients
    explained = float(products[old] @ fit.coefficients)
    base = total - explained - float(bent @ fit.coefficients)
    degrees = 1.0 + len(old) - float(penalties @ np.diag(fit.spread))
    sums = np.empty(len(others))
    ends = np.cumsum(terms.widths(others))
    for at, (other, end) in enumerate(zip(others, ends, strict=True)):
        stiffness = terms.terms[other].stiffness
        part = slice(end - len(stiffness), end)
        own = np.eye(len(stiffness)) * (1.0 + RIDGE) - shared[:, part].T @ moved[:, part]
        left = products[new[part]] - shared[:, part].T @ fit.coefficients
        turned = _Turned(own, stiffness, left, moved[:, part], penalties, bent)
        sums[at] = turned.residual_sum(base, degrees, terms.n_rows, EXACT * total)
    return sums


class _Turned:
    """A new term in coordinates in which its equations fall apart, whatever its penalty.

    Parameters
    ----------
    own : ndarray of shape (w, w)
        What its functions have to themselves.
    stiffness, left : ndarray of shape (w,)
        Penalties of the functions, and their products with what the model leaves.
    moved : ndarray of shape (m, w)
        Change of the coefficients of the model with each of the new ones, but for the sign.
    penalties, bent : ndarray of shape (m,)
        Penalties of the model, also times its coefficients.
    """

    def __init__(
        self,
        own: Matrix,
        stiffness: Vector,
        left: Vector,
        moved: Matrix,
        penalties: Vector,
        bent: Vector,
    ) -> None:
        from scipy.linalg import eigh

        values, vectors = np.linalg.eigh(own)
        root = vectors / np.sqrt(np.maximum(values, RIDGE))
        self._stiffness, turn = eigh(root.T @ (stiffness[:, None] * root))
        self._stiffness = np.maximum(self._stiffness, 0.0)
        basis = root @ turn
        self._left = basis.T @ left
        changed = moved @ basis
        self._resisted = changed.T @ (penalties[:, None] * changed)
        self._pulled = changed.T @ bent

    def residual_sum(self, base: float, degrees: float, n_rows: int, least: float) -> float:
        """Sum of squared residuals at the penalty with the least GCV of a grid."""
        stiffest = max(float(self._stiffness.max()), 1.0)
        grid = np.exp(np.arange(-np.log(stiffest) - BEYOND, BEYOND, GRID_STEP))
        bending = grid[:, None] * self._stiffness
        kept = 1.0 / (1.0 + bending)
        new = kept * self._left
        sums = base - new @ (self._left - 2.0 * self._pulled)
        sums -= np.einsum("gi,ij,gj->g", new, self._resisted, new)
        sums = np.maximum(sums - (bending * np.square(new)).sum(axis=1), least)
        free = n_rows - degrees - kept.sum(axis=1) + kept @ np.diag(self._resisted)
        with np.errstate(divide="ignore", invalid="ignore"):
            criterion = np.where(free > 0.0, np.log(sums) - 2.0 * np.log(free), np.inf)
        return float(sums[criterion.argmin()])
