"""Families of pairs in which x causes y. PRIOR.md argues for each.

A family is a function from a number of rows and a generator to cause and effect before they
are measured. Each is left out once when the panel is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from causes import SMOOTH, drawn_cause
from mechanisms import (
    RISING,
    drawn_mechanism,
    monotone_spline,
    positive,
    random_network,
    standardised,
    within,
)
from noises import NOISES, drawn_noise, drawn_spread, noise_ratio
from numpy.random import Generator
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Columns = tuple[Vector, Vector]

BENDING = ("free", "sigmoids", "polynomial", "kinked", "valley", "wave", "network")
POSITIVE = ("uniform", "skewed", "bounded", "truncated", "lumpy", "ages", "counted", "warped")


def additive(n: int, rng: Generator) -> Columns:
    """Y = f(X) + noise."""
    kind, x = drawn_cause(n, rng)
    return x, drawn_mechanism(x, rng)[1] + noise_ratio(rng) * drawn_noise(n, rng, cause=kind)[1]


def spreading(n: int, rng: Generator) -> Columns:
    """Y = f(X) + s(X) noise."""
    kind, x = drawn_cause(n, rng)
    noise = drawn_spread(x, rng) * drawn_noise(n, rng, cause=kind)[1]
    return x, drawn_mechanism(x, rng)[1] + noise_ratio(rng) * noise


def product(n: int, rng: Generator) -> Columns:
    """Y = h(X) times a factor: positive and skewed, or of either sign about 0 or 1."""
    kind, x = drawn_cause(n, rng, kinds=POSITIVE if rng.random() < 0.7 else ())
    plain = rng.random() < 0.6
    size = positive(x, rng) if plain else np.abs(drawn_mechanism(x, rng)[1]) + 0.05
    size = size ** rng.choice([1.0, np.exp(rng.uniform(np.log(0.4), np.log(2.5)))])
    which = rng.integers(4)
    if which == 0:
        factor = rng.lognormal(sigma=rng.uniform(0.1, 1.0), size=n)
    elif which == 1:
        factor = rng.gamma(rng.uniform(0.5, 6.0), size=n)
    else:
        factor = drawn_noise(n, rng, cause=kind)[1] + (0.0 if which == 2 else rng.normal() * 1.5)
    return x, size * factor


def inside(n: int, rng: Generator) -> Columns:
    """Y = f(X + noise), or of X times a factor: the dose that arrived is not the dose given."""
    x = drawn_cause(n, rng)[1]
    ratio = 0.7 * noise_ratio(rng)
    if rng.random() < 0.7:
        arrived = standardised(x) + ratio * drawn_noise(n, rng)[1]
    else:
        arrived = positive(x, rng) * np.exp(min(ratio, 1.2) * drawn_noise(n, rng)[1].clip(-4, 4))
    y = drawn_mechanism(arrived, rng)[1]
    return x, y + rng.choice([0.0, 0.1]) * rng.normal(size=n)


def reexpressed(n: int, rng: Generator) -> Columns:
    """Y = g(f(X) + noise) with g increasing: a scale chosen without regard to the noise."""
    x, y = additive(n, rng)
    place = standardised(y).clip(-5.0, 5.0)
    which = rng.integers(5)
    if which == 0:
        return x, np.exp(rng.uniform(0.3, 1.2) * place)
    if which == 1:
        return x, 1.0 / (1.0 + np.exp(-rng.uniform(0.8, 3.0) * (place + rng.normal())))
    if which == 2:
        return x, np.sign(place) * np.abs(place) ** np.exp(rng.uniform(np.log(0.4), np.log(3.0)))
    if which == 3:
        return x, np.log(place - place.min() + rng.uniform(0.05, 1.0))
    return x, monotone_spline(place, rng)


def network(n: int, rng: Generator) -> Columns:
    """Y = a random network of X and noise, and of a second noise in part."""
    x = drawn_cause(n, rng)[1]
    ratio = min(noise_ratio(rng), 2.5)
    inputs = [standardised(x), ratio * drawn_noise(n, rng)[1]]
    if rng.random() < 0.3:
        inputs.append(0.5 * ratio * drawn_noise(n, rng)[1])
    return x, random_network(np.vstack(inputs), rng)


def surface(n: int, rng: Generator) -> Columns:
    """Y = a polynomial of X and noise with products: effects that depend on each other."""
    x = drawn_cause(n, rng)[1]
    a, e = (
        standardised(x).clip(-4, 4),
        min(noise_ratio(rng), 2.5) * drawn_noise(n, rng)[1].clip(-4, 4),
    )
    terms = (a, a * a, e, a * e, e * e, a * a * e, a**3)
    weights = rng.normal(size=len(terms)) * rng.choice([0.0, 1.0], p=[0.3, 0.7], size=len(terms))
    weights[0] += rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.5)
    weights[2] += rng.uniform(0.2, 1.0)
    return x, sum(w * t for w, t in zip(weights, terms, strict=True))


def curved(n: int, rng: Generator) -> Columns:
    """Y = f(X) + noise with f that bends or turns, x smooth: no inverse that is a function."""
    kind, x = drawn_cause(n, rng, kinds=SMOOTH)
    y = drawn_mechanism(x, rng, kinds=BENDING)[1]
    spread = drawn_spread(x, rng) if rng.random() < 0.3 else 1.0
    return x, y + noise_ratio(rng) * spread * drawn_noise(n, rng, cause=kind)[1]


def precise(n: int, rng: Generator) -> Columns:
    """Y = f(X) and next to no noise: one to thirty hundredths of the spread, anywhere."""
    kind, x = drawn_cause(n, rng)
    little = np.exp(rng.uniform(np.log(0.01), np.log(0.3)))
    noise = little * drawn_noise(n, rng, cause=kind)[1]
    which = rng.integers(3)
    if which == 0:
        return x, drawn_mechanism(x, rng)[1] + noise
    if which == 1:
        return x, drawn_mechanism(x, rng)[1] + drawn_spread(x, rng) * noise
    return x, drawn_mechanism(standardised(x) + noise, rng)[1]


def switching(n: int, rng: Generator) -> Columns:
    """Two or three hidden classes of units, each with a mechanism and noise of its own.

    In three of four pairs the mechanisms of all classes go the same way.
    """
    x = drawn_cause(n, rng)[1]
    k = int(rng.integers(2, 4))
    which = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 3.0)))
    y, ratio, alike = np.zeros(n), noise_ratio(rng), rng.random() < 0.75
    for number in range(k):
        noise = ratio * rng.uniform(0.3, 1.2) * drawn_noise(n, rng)[1]
        signal = drawn_mechanism(x, rng, kinds=RISING)[1]
        if alike:
            signal = signal * np.sign(float((signal * standardised(x)).mean()) or 1.0)
        y = np.where(which == number, rng.normal() + rng.uniform(0.3, 1.5) * signal + noise, y)
    return x, y


def counts(n: int, rng: Generator) -> Columns:
    """Y counts events: Poisson, with extra spread, or out of a known number of tries."""
    _, x = drawn_cause(n, rng)
    signal = rng.uniform(0.2, 1.2) * drawn_mechanism(x, rng)[1].clip(-4, 4)
    which = rng.integers(3)
    if which == 2:
        tries = int(np.exp(rng.uniform(np.log(5.0), np.log(100.0))))
        chance = 1.0 / (1.0 + np.exp(-(signal * 1.5 + rng.normal())))
        return x, rng.binomial(tries, chance).astype(float)
    mean = np.exp(rng.uniform(np.log(2.0), np.log(80.0)) + signal).clip(0.0, 1e6)
    if which == 1:
        shape = rng.uniform(0.6, 10.0)
        mean = mean * rng.gamma(shape, size=n) / shape
    return x, rng.poisson(mean).astype(float)


def classes(n: int, rng: Generator) -> Columns:
    """Y is a grade: a hidden effect cut at thresholds into 5 to 30 ordered classes."""
    x, hidden = (additive, spreading, network)[rng.integers(3)](n, rng)
    k = int(np.exp(rng.uniform(np.log(5.0), np.log(30.0))))
    cuts = np.sort(np.quantile(hidden, rng.uniform(0.03, 0.97, k - 1)))
    return x, np.searchsorted(cuts, hidden).astype(float)


def designed(n: int, rng: Generator) -> Columns:
    """X was set: doses on a plain or geometric grid, or years, each with about as many rows."""
    k = int(rng.integers(4, 40))
    levels = np.arange(k, dtype=float)
    if rng.random() < 0.35 and k < 15:
        levels = rng.uniform(1.3, 3.0) ** levels
    x = levels[np.arange(n) % k] if rng.random() < 0.5 else rng.choice(levels, size=n)
    spread = drawn_spread(x, rng) if rng.random() < 0.4 else 1.0
    y = drawn_mechanism(x, rng)[1] + noise_ratio(rng) * spread * drawn_noise(n, rng)[1]
    return x, np.exp(0.5 * standardised(y).clip(-5, 5)) if rng.random() < 0.3 else y


def living(n: int, rng: Generator) -> Columns:
    """Growth by age or size, response to a dose: rising curves, errors in proportion."""
    kinds = ("ages", "skewed", "uniform", "bounded", "truncated", "groups")
    _, x = drawn_cause(n, rng, kinds=kinds)
    curve = drawn_mechanism(x, rng, kinds=("saturating", "growing", "power", "logarithmic"))[1]
    level = within(curve) + rng.uniform(0.05, 0.8)
    ratio = 0.35 * noise_ratio(rng)
    factor = np.exp(min(ratio, 1.2) * drawn_noise(n, rng)[1].clip(-4, 4))
    return x, np.maximum(level, 0.02) * factor + 0.2 * rng.random() * ratio * rng.normal(size=n)


def laws(n: int, rng: Generator) -> Columns:
    """Laws between amounts: powers and exponents, instruments that err in proportion."""
    kinds = ("skewed", "uniform", "warped", "lumpy", "truncated", "caused")
    _, true = drawn_cause(n, rng, kinds=kinds)
    true = positive(true, rng) + 0.02
    power = rng.choice([-2.0, -1.0, -0.5, 0.5, 2.0, 3.0, rng.normal()]) or 1.0
    y = (true + rng.uniform(0.0, 0.5)) ** power
    error = rng.uniform(0.005, 0.4)
    x = true * np.exp(rng.choice([0.0, 0.3]) * error * rng.normal(size=n))
    return x, y * np.exp(error * rng.normal(size=n) * np.abs(power)) + 0.05 * rng.normal(
        size=n
    ) * y.std() * (rng.random() < 0.5)


def units(n: int, rng: Generator) -> Columns:
    """Slopes differ between units or groups of them: y = a_i + b_i f(x)."""
    _, x = drawn_cause(n, rng)
    signal = drawn_mechanism(x, rng, kinds=RISING)[1]
    if rng.random() < 0.5:
        k = int(rng.integers(3, 25))
        group = rng.integers(k, size=n)
        start, slope = (
            rng.normal(size=k)[group],
            1.0 + rng.uniform(0.2, 1.0) * rng.normal(size=k)[group],
        )
        x = x + rng.choice([0.0, rng.normal()]) * x.std() * rng.normal(size=k)[group]
    else:
        start, slope = drawn_noise(n, rng)[1], 1.0 + rng.uniform(0.2, 1.0) * rng.normal(size=n)
    ratio = noise_ratio(rng)
    return x, 0.5 * ratio * start + slope * signal + 0.5 * ratio * drawn_noise(n, rng)[1]


def frontier(n: int, rng: Generator) -> Columns:
    """Y stays below (or above) what x allows: a limit, and most fall short of it."""
    _, x = drawn_cause(n, rng)
    limit = within(drawn_mechanism(x, rng)[1]) + rng.uniform(0.05, 0.5)
    if rng.random() < 0.6:
        reached = rng.beta(rng.uniform(0.8, 4.0), rng.uniform(0.4, 2.0), size=n)
        y = limit * reached
    else:
        y = limit - 0.5 * noise_ratio(rng) * np.abs(drawn_noise(n, rng)[1]) * limit.std()
    y = y + rng.choice([0.0, 0.05]) * rng.normal(size=n)
    return x, y if rng.random() < 0.6 else -y


def parts(n: int, rng: Generator) -> Columns:
    """Y is a sum to which x is one part among others: nearer to a Gaussian than x itself."""
    kinds = ("skewed", "heavy", "bounded", "groups", "zeros", "uniform", "lumpy", "counted")
    _, x = drawn_cause(n, rng, kinds=kinds)
    others = int(rng.integers(1, 5))
    rest = sum(standardised(drawn_cause(n, rng, kinds=kinds)[1]) for _ in range(others))
    return x, standardised(x) + noise_ratio(rng) * standardised(rest)


def seasonal(n: int, rng: Generator) -> Columns:
    """X goes round, or along a line in space or time: y follows in waves or with a trend."""
    _, x = drawn_cause(n, rng, kinds=("cyclic", "uniform", "ages", "truncated"))
    y = drawn_mechanism(x, rng, kinds=("wave", "wave", "free", "polynomial", "valley"))[1]
    spread = drawn_spread(x, rng) if rng.random() < 0.4 else 1.0
    return x, y + noise_ratio(rng) * spread * drawn_noise(n, rng)[1]


def limited(n: int, rng: Generator) -> Columns:
    """Y has a floor or a ceiling, or is none at all below a threshold: tobit and hurdle."""
    x, y = (additive, spreading)[rng.integers(2)](n, rng)
    y = standardised(y)
    which = rng.integers(3)
    if which == 0:
        return x, np.maximum(y, np.quantile(y, rng.uniform(0.05, 0.5)))
    if which == 1:
        return x, np.clip(y, *np.quantile(y, [rng.uniform(0.0, 0.3), rng.uniform(0.7, 1.0)]))
    chance = 1.0 / (1.0 + np.exp(-2.0 * y - rng.normal()))
    return x, np.where(rng.random(n) < chance, np.exp(rng.uniform(0.3, 1.0) * y), 0.0)


def shared(n: int, rng: Generator) -> Columns:
    """X causes y, and a hidden third acts on both as well."""
    z = drawn_cause(n, rng, kinds=SMOOTH)[1]
    strength = rng.uniform(0.2, 1.0)
    _, own = drawn_cause(n, rng, kinds=SMOOTH)
    x = standardised(own) + strength * drawn_mechanism(z, rng)[1]
    y = drawn_mechanism(x, rng)[1] + rng.uniform(0.2, 0.9) * strength * drawn_mechanism(z, rng)[1]
    return x, y + noise_ratio(rng) * drawn_noise(n, rng)[1]


def hidden_steps(n: int, rng: Generator) -> Columns:
    """X acts through a chain of two or three steps that each add noise of their own."""
    x = drawn_cause(n, rng)[1]
    y = standardised(x)
    steps = int(rng.integers(2, 4))
    for _ in range(steps):
        noise = noise_ratio(rng) * drawn_noise(n, rng)[1] * 0.6
        y = standardised(drawn_mechanism(y, rng)[1] + noise)
    return x, y


FAMILIES: Mapping[str, Callable[[int, Generator], Columns]] = MappingProxyType(
    {
        "additive": additive,
        "spreading": spreading,
        "curved": curved,
        "precise": precise,
        "product": product,
        "inside": inside,
        "reexpressed": reexpressed,
        "network": network,
        "surface": surface,
        "switching": switching,
        "counts": counts,
        "classes": classes,
        "designed": designed,
        "living": living,
        "laws": laws,
        "units": units,
        "frontier": frontier,
        "parts": parts,
        "seasonal": seasonal,
        "limited": limited,
        "shared": shared,
        "chain": hidden_steps,
    }
)
"""Families in which x causes y, by name."""


def common_plain(n: int, rng: Generator) -> Columns:
    """Both are functions of a hidden third, each with noise of its own."""
    z = drawn_cause(n, rng)[1]
    first, second = (
        drawn_mechanism(z, rng)[1] + noise_ratio(rng) * drawn_noise(n, rng)[1] for _ in range(2)
    )
    return first, second


def common_spread(n: int, rng: Generator) -> Columns:
    """A hidden third sets level and spread of both, or is a factor of both."""
    z = drawn_cause(n, rng)[1]
    columns = []
    for _ in range(2):
        noise = drawn_spread(z, rng) * drawn_noise(n, rng)[1]
        y = drawn_mechanism(z, rng)[1] + noise_ratio(rng) * noise
        columns.append(np.exp(0.6 * standardised(y).clip(-4, 4)) if rng.random() < 0.5 else y)
    return columns[0], columns[1]


def common_classes(n: int, rng: Generator) -> Columns:
    """Hidden classes of units differ in both columns; within a class there is no link."""
    k = int(rng.integers(2, 6))
    which = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 2.0)))
    apart = rng.uniform(0.7, 3.0)
    columns = [
        apart * rng.normal(size=k)[which]
        + rng.uniform(0.4, 1.2, k)[which]
        * standardised(NOISES[str(rng.choice(list(NOISES)))](n, rng))
        for _ in range(2)
    ]
    return columns[0], columns[1]


def common_network(n: int, rng: Generator) -> Columns:
    """Both are random networks of a hidden third and of noise of their own, measured on scales."""
    z = standardised(drawn_cause(n, rng)[1])
    columns = []
    for _ in range(2):
        noise = min(noise_ratio(rng), 2.0) * drawn_noise(n, rng)[1]
        y = standardised(random_network(np.vstack((z, noise)), rng))
        columns.append(monotone_spline(y, rng) if rng.random() < 0.5 and y.any() else y)
    return columns[0], columns[1]


def apart_causes(n: int, rng: Generator) -> Columns:
    """No link: two columns that look like causes."""
    return drawn_cause(n, rng)[1], drawn_cause(n, rng)[1]


def apart_effects(n: int, rng: Generator) -> Columns:
    """No link: one column that looks like an effect, of something that is not there."""
    family = str(rng.choice(list(FAMILIES)))
    return drawn_cause(n, rng)[1], FAMILIES[family](n, rng)[1]


COMMON: Mapping[str, Callable[[int, Generator], Columns]] = MappingProxyType(
    {
        "common plain": common_plain,
        "common spread": common_spread,
        "common classes": common_classes,
        "common network": common_network,
    }
)
"""Families in which a hidden third is all that links the two, by name."""

APART: Mapping[str, Callable[[int, Generator], Columns]] = MappingProxyType(
    {"apart causes": apart_causes, "apart effects": apart_effects}
)
"""Families without any link, by name."""
