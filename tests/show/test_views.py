"""What a picture shows: the curves are right, rows out of view are counted, scores are shares."""

import numpy as np
import pytest

from bqcd import BQCD, Pair, Verdict, decide_pair
from bqcd.errors import InvalidPairError, InvalidSettingError
from bqcd.show.views import _Column, quantile_curves, score_shares, view_of
from bqcd.show.words.views import view_words
from tests.example_pairs import Constant, bent_pair, location_scale_pair, turned


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return decide_pair(bent_pair())


# ── Curves ───────────────────────────────────────────────────────────────────


def test_curves_follow_the_quantiles_of_a_location_scale_model():
    curves = quantile_curves(decide_pair(location_scale_pair(20_000))).y_given_x
    inner = (curves.given > 0.2) & (curves.given < 1.8)
    x = curves.given[inner, None]
    truth = x**2 + (1.0 + x / 2.0) * np.array([-1.2816, 0.0, 1.2816])
    assert np.abs(curves.quantiles[inner] - truth).max() < 0.35
    assert np.abs(curves.quantiles[inner] - truth).mean() < 0.1


def test_curves_leave_their_share_of_the_rows_below():
    verdict = decide_pair(location_scale_pair(5_000))
    pair, curves = verdict.pair, quantile_curves(verdict)
    for given, target, way in (
        (pair.x, pair.y, curves.y_given_x),
        (pair.y, pair.x, curves.x_given_y),
    ):
        below = [np.mean(target <= np.interp(given, way.given, q)) for q in way.quantiles.T]
        assert below == pytest.approx([0.1, 0.5, 0.9], abs=0.02)


def test_curves_do_not_cross_and_stay_within_the_data(verdict: Verdict):
    curves = quantile_curves(verdict, levels=(0.05, 0.25, 0.5, 0.75, 0.95))
    for way, given, target in (
        (curves.y_given_x, verdict.pair.x, verdict.pair.y),
        (curves.x_given_y, verdict.pair.y, verdict.pair.x),
    ):
        assert way.quantiles.shape == (len(way.given), 5)
        assert (np.diff(way.quantiles, axis=1) >= 0.0).all()
        assert (np.diff(way.given) > 0.0).all()
        assert given.min() <= way.given[0]
        assert way.given[-1] <= given.max()
        assert target.min() <= way.quantiles.min()
        assert way.quantiles.max() <= target.max()


@pytest.mark.parametrize("digits", [8, 1, 0])
def test_exchanging_the_columns_exchanges_the_curves(digits: int):
    pair = location_scale_pair(400)
    pair = Pair(pair.x.round(digits), pair.y.round(digits))
    one = quantile_curves(decide_pair(pair))
    other = quantile_curves(decide_pair(turned(pair)))
    for mine, yours in ((one.y_given_x, other.x_given_y), (one.x_given_y, other.y_given_x)):
        np.testing.assert_array_equal(mine.given, yours.given)
        np.testing.assert_array_equal(mine.quantiles, yours.quantiles)


def test_curves_are_carried_along_by_an_increasing_map():
    pair = location_scale_pair(1_000)
    plain = quantile_curves(decide_pair(pair))
    skewed = quantile_curves(decide_pair(Pair(pair.x, np.exp(pair.y))))
    np.testing.assert_array_equal(plain.y_given_x.given, skewed.y_given_x.given)
    # Not exact between two neighbouring values, where both interpolate linearly.
    np.testing.assert_allclose(
        np.exp(plain.y_given_x.quantiles), skewed.y_given_x.quantiles, rtol=0.05
    )


def test_few_values_are_probed_one_by_one():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, 900).astype(float)
    curves = quantile_curves(decide_pair(Pair(x, x + 0.1 * rng.normal(size=900))))
    assert curves.y_given_x.given.tolist() == [0.0, 1.0, 2.0]
    # Quantiles of a discrete column are its values.
    assert set(curves.x_given_y.quantiles.ravel().round(6)) == {0.0, 1.0, 2.0}
    assert curves.y_given_x.quantiles[:, 1] == pytest.approx([0.0, 1.0, 2.0], abs=0.05)


def test_curves_come_from_the_regressor_of_the_verdict():
    asked = []

    class Flat:
        def fit(self, given, target, levels, rng):
            asked.append(levels.tolist())
            return lambda values: np.tile(levels - 0.5, (len(values), 1))

    curves = quantile_curves(decide_pair(location_scale_pair(99), method=BQCD(regressor=Flat())))
    assert asked[-2:] == [[0.1, 0.5, 0.9]] * 2
    assert np.ptp(curves.y_given_x.quantiles, axis=0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("levels", [(), (0.0, 0.5), (0.5, 1.0), (0.9, 0.1), (0.5, 0.5), ((0.5,),)])
def test_levels_that_do_not_increase_within_the_unit_interval_are_refused(verdict, levels):
    with pytest.raises(InvalidSettingError, match=r"must increase within \(0, 1\)"):
        quantile_curves(verdict, levels)


def test_curves_of_a_method_without_quantiles_are_refused():
    verdict = decide_pair(location_scale_pair(50), method=Constant(0.5))
    with pytest.raises(InvalidSettingError, match="needs a verdict of BQCD, got one of Constant"):
        quantile_curves(verdict)


# ── Rows ─────────────────────────────────────────────────────────────────────


def test_untied_rows_are_seen_where_they_are_without_a_note():
    pair = location_scale_pair(300)
    view = view_of(pair)
    np.testing.assert_array_equal(view.x, pair.x)
    np.testing.assert_array_equal(view.y, pair.y)
    assert view.x_limits[0] < pair.x.min() < pair.x.max() < view.x_limits[1]
    assert view.counts is None
    assert view_words(view) == ""


@pytest.mark.parametrize("rows", [300, 6_000])
@pytest.mark.parametrize("digits", [8, 0])
def test_a_turned_view_is_that_of_the_exchanged_columns(rows: int, digits: int):
    pair = location_scale_pair(rows)
    pair = Pair(pair.x.round(digits), pair.y.round(digits))
    one, other = view_of(pair).turned(), view_of(turned(pair))
    for field in ("x", "y", "x_limits", "y_limits", "outside", "spread"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert (one.counts is None) == (other.counts is None) == (rows == 300)
    if one.counts is not None:
        np.testing.assert_array_equal(one.counts, other.counts)


def test_far_outliers_are_left_out_of_view_and_counted():
    pair = location_scale_pair(500)
    x, y = pair.x.copy(), pair.y.copy()
    x[:3], y[3:5] = 1e6, -1e9
    view = view_of(Pair(x, y))
    assert view_words(view) == "5 points outside the view"
    assert len(view.x) == len(view.y) == 495
    assert view.x_limits[1] < 10.0


def test_one_outlier_is_a_point_and_not_points():
    pair = location_scale_pair(500)
    x = pair.x.copy()
    x[0] = 1e6
    assert view_words(view_of(Pair(x, pair.y))) == "1 point outside the view"


def test_ordinary_tails_stay_in_view():
    rng = np.random.default_rng(4)
    x = rng.normal(size=5_000)
    assert len(view_of(Pair(x, x + rng.normal(size=5_000))).x) == 5_000


def test_tied_dots_are_spread_without_leaving_their_value():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, 300).astype(float)
    view = view_of(Pair(x, rng.normal(size=300) + x))
    assert len(np.unique(view.x)) == 300
    np.testing.assert_array_equal(np.round(view.x), x)
    assert view_words(view) == "tied values are spread a little to be seen"


def test_every_row_in_view_is_counted_once():
    view = view_of(location_scale_pair(20_000))
    assert view.counts is not None
    assert view.counts.sum() == len(view.x) == 20_000
    assert view_words(view) == "darker cells hold more rows (logarithmic)"
    assert view_words(view, dots=True) == ""


def test_range_too_wide_for_an_axis_is_refused():
    pair = location_scale_pair(50)
    wide = Pair((pair.x - 1.0) * 1.7e308, pair.y)
    with pytest.raises(InvalidPairError, match="must span less than"):
        view_of(wide)
    with pytest.raises(InvalidPairError, match="must span less than"):
        quantile_curves(decide_pair(wide))


def test_values_too_large_for_an_axis_are_refused():
    pair = location_scale_pair(50)
    # A millionth of the largest number wide, and next to it.
    far = Pair(np.finfo(float).max * (1.0 - 1e-6 * pair.x), pair.y)
    with pytest.raises(InvalidPairError, match="lie within 8e307 of zero"):
        view_of(far)


@pytest.mark.parametrize("unit", [5e-324, 1e-320])
def test_curves_of_subnormal_columns_stay_within_them(unit):
    rng = np.random.default_rng(0)
    x = rng.integers(1, 2000, 80).astype(float)
    y = np.round(x**2 / 2000.0 + 30.0 * rng.normal(size=80)) + 200.0
    tiny = quantile_curves(decide_pair(Pair(x * unit, y * unit)))
    for curves, column in ((tiny.y_given_x, y * unit), (tiny.x_given_y, x * unit)):
        assert column.min() <= curves.quantiles.min() < curves.quantiles.max() <= column.max()


# ── Scores ───────────────────────────────────────────────────────────────────


def test_scores_are_shares_of_the_marginal_ones_and_end_with_all_levels(verdict: Verdict):
    lengths = verdict.evidence.code_lengths
    scores = score_shares(lengths)
    assert scores.labels == ("0.113", "0.5", "0.887", "all")
    np.testing.assert_allclose(scores.y_given_x[:-1], lengths.y_given_x / lengths.y)
    np.testing.assert_allclose(scores.x_given_y[:-1], lengths.x_given_y / lengths.x)
    assert scores.gaps[-1] == pytest.approx(verdict.confidence)


def test_small_sample_has_its_only_level_and_no_sum():
    verdict = decide_pair(location_scale_pair(50))
    scores = score_shares(verdict.evidence.code_lengths)
    assert scores.labels == ("0.5",)
    assert scores.gaps == pytest.approx([verdict.confidence])


def test_a_value_is_placed_at_its_mean_rank():
    """Of five rows: ranks 1, 2 and 3, 4, 5, whose means are shares of 6."""
    column = _Column.of(np.array([7.0, 1.0, 7.0, 2.0, 7.0]))
    np.testing.assert_array_equal(column.values, [1.0, 2.0, 7.0])
    np.testing.assert_allclose(column.places, np.array([1.0, 2.0, 4.0]) / 6.0)
