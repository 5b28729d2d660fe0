"""Location and scale of one column given another, compiled: a network and its training."""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from bqcd.runtime.arrays import Matrix, Vector
from bqcd.runtime.kernel import kernel

Places = NDArray[np.int64]

# Neurons of the hidden layer.
HIDDEN = 100
# Exponents are kept from its negative to it, so that no sum overflows.
STEEPEST = 30.0
LOG_2 = log(2.0)
# Bits of the root of a half, as an integer.
ROOT_OF_HALF = int(np.float64(sqrt(0.5)).view(np.int64))
# Rates of the first step and after the last one.
FASTEST, SLOWEST = 1e-2, 1e-6


@kernel
def inner_product(first: Vector, second: Vector) -> float:
    """Sum of products, in eight lanes."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = len(first) // 8 * 8
    for i in range(0, whole, 8):
        a += first[i] * second[i]
        b += first[i + 1] * second[i + 1]
        c += first[i + 2] * second[i + 2]
        d += first[i + 3] * second[i + 3]
        e += first[i + 4] * second[i + 4]
        f += first[i + 5] * second[i + 5]
        g += first[i + 6] * second[i + 6]
        h += first[i + 7] * second[i + 7]
    for i in range(whole, len(first)):
        a += first[i] * second[i]
    return ((a + e) + (b + f)) + ((c + g) + (d + h))


@kernel
def activate(at: float, slopes: Vector, offsets: Vector, hidden: Vector) -> None:
    """Hyperbolic tangents of the hidden layer at a point, to eleven digits.

    tanh z = 1 - 2 / (e²ᶻ + 1), where e²ᶻ is the 64th power of a short series in z / 32.
    ``np.divide`` does not ask whether it divides by zero, which would keep the loop scalar.
    """
    for j in range(len(hidden)):
        r = min(max(slopes[j] * at + offsets[j], -9.0), 9.0) * 0.03125
        p = 1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0)))
        p = 1.0 + r * (1.0 + r * (0.5 + r * p))
        p *= p
        p *= p
        p *= p
        p *= p
        p *= p
        p *= p
        hidden[j] = 1.0 - np.divide(2.0, p + 1.0)


@kernel
def network_outputs(points: Vector, parameters: Vector, n_outputs: int) -> tuple[Matrix, Matrix]:
    """Outputs before their last factors, and the hidden layer, one row for each point."""
    size = (2 + n_outputs) * HIDDEN
    weights = parameters[:size].reshape(2 + n_outputs, HIDDEN)
    hidden, outputs = np.empty((len(points), HIDDEN)), np.empty((len(points), n_outputs))
    for i in range(len(points)):
        activate(points[i], weights[0], weights[1], hidden[i])
        for k in range(n_outputs):
            outputs[i, k] = inner_product(weights[2 + k], hidden[i]) + parameters[size + k]
    return outputs, hidden


@kernel
def exponentials(exponents: Vector, out: Vector) -> None:
    """Exponentials to eight digits, of exponents kept within bounds.

    The 64th power of a short series in a 64th of the exponent.
    """
    for i in range(len(out)):
        r = min(max(exponents[i], -STEEPEST), STEEPEST) * 0.015625
        p = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0 + r * (1.0 / 40320.0)))
        p = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * p))))
        p *= p
        p *= p
        p *= p
        p *= p
        p *= p
        p *= p
        out[i] = p


@kernel
def logarithms(numbers: Vector, out: Vector) -> None:
    """Logarithms to twelve digits of positive numbers, which are overwritten.

    A number is 2ᵉ times one between the roots of 1/2 and 2, both read off its bits; the
    logarithm of the latter is a series in its distance from 1 over its sum with 1.
    """
    bits = numbers.view(np.int64)
    for i in range(len(out)):
        out[i] = (bits[i] - ROOT_OF_HALF) >> 52
    for i in range(len(out)):
        bits[i] -= ((bits[i] - ROOT_OF_HALF) >> 52) << 52
    for i in range(len(out)):
        z = np.divide(numbers[i] - 1.0, numbers[i] + 1.0)
        s = z * z
        t = 1.0 / 7.0 + s * (1.0 / 9.0 + s * (1.0 / 11.0 + s * (1.0 / 13.0)))
        t = 1.0 + s * (1.0 / 3.0 + s * (1.0 / 5.0 + s * t))
        out[i] = LOG_2 * out[i] + 2.0 * z * t


@kernel
def gaussian_slopes(target: Vector, outputs: Matrix, slopes: Matrix) -> None:
    """Derivatives of -log density by the two outputs: mean over variance, log precision.

    One array is written in each loop: with more, the compiler does not see that they are
    apart, and takes one row at a time.
    """
    precision, mean = np.empty_like(target), np.empty_like(target)
    exponentials(outputs[1], precision)
    for i in range(len(target)):
        mean[i] = np.divide(outputs[0, i], precision[i])
    for i in range(len(target)):
        slopes[0, i] = mean[i] - target[i]
    for i in range(len(target)):
        y, m = target[i], mean[i]
        slopes[1, i] = 0.5 * precision[i] * (y - m) * (y + m) - 0.5


@kernel
def digamma_rise(a: float) -> float:
    """ψ(a + 1/2) - ψ(a) for a of 1 or more, to nine digits: four steps up, then its series.

    A step from a to a + 1 lowers it by 1 / 2a(a + 1/2); the four fractions are added as one.
    """
    first, second = a * (a + 0.5), (a + 1.0) * (a + 1.5)
    third, fourth = (a + 2.0) * (a + 2.5), (a + 3.0) * (a + 3.5)
    early, late = first * second, third * fourth
    above = (first + second) * late + (third + fourth) * early
    q = np.divide(1.0, a + 4.0)
    s = q * q
    series = 0.5 + q * (0.125 - s * (1.0 / 64.0 - s * (1.0 / 128.0 - s * (17.0 / 2048.0))))
    return float(np.divide(0.5 * above, early * late) + q * series)


@kernel
def student_slopes(target: Vector, outputs: Matrix, slopes: Matrix) -> None:
    """Derivatives of -log density and penalty by location, log(a - 1) and -log b.

    The density is Student's with 2a degrees of freedom and squared scale b / a; the penalty,
    1 / n of (a / (a - 1))², keeps its variance b / (a - 1) finite.
    """
    excess, rate = np.empty_like(target), np.empty_like(target)
    exponentials(outputs[1], excess)
    exponentials(outputs[2], rate)
    further, log_further = np.empty_like(target), np.empty_like(target)
    for i in range(len(target)):
        further[i] = 1.0 + 0.5 * rate[i] * (target[i] - outputs[0, i]) ** 2
    for i in range(len(target)):
        # (a + 1/2) / (1 + q), with q half the squared distance over b.
        slopes[2, i] = np.divide(excess[i] + 1.5, further[i])
    for i in range(len(target)):
        slopes[0, i] = slopes[2, i] * rate[i] * (outputs[0, i] - target[i])
    for i in range(len(target)):
        slopes[2, i] = slopes[2, i] * (further[i] - 1.0) - 0.5
    logarithms(further, log_further)
    share = 2.0 / len(target)
    for i in range(len(target)):
        lack = np.divide(1.0, excess[i])
        slope = excess[i] * (log_further[i] - digamma_rise(excess[i] + 1.0))
        slopes[1, i] = slope - share * (1.0 + lack) * lack


@kernel
def interpolate(outputs: Matrix, starts: Places, shares: Vector, rows: Matrix) -> None:
    """Outputs in the rows, on straight lines between those at the nodes on either side."""
    for node in range(len(starts) - 1):
        for k in range(len(rows)):
            low, rise = outputs[node, k], outputs[node + 1, k] - outputs[node, k]
            for i in range(starts[node], starts[node + 1]):
                rows[k, i] = low + shares[i] * rise


@kernel
def collect(slopes: Vector, starts: Places, shares: Vector, factor: float, out: Vector) -> None:
    """Derivatives by an output at the nodes, from those in the rows times a factor."""
    out[:] = 0.0
    for node in range(len(starts) - 1):
        total, upper = 0.0, 0.0
        for i in range(starts[node], starts[node + 1]):
            total += slopes[i]
            upper += shares[i] * slopes[i]
        out[node] += factor * (total - upper)
        out[node + 1] += factor * upper


@kernel
def row_slopes(
    target: Vector,
    starts: Places,
    shares: Vector,
    outputs: Matrix,
    heads: Vector,
    by_head: Vector,
) -> Matrix:
    """Derivatives of the loss by the outputs at the nodes, one output a row.

    Those by the heads, the last factors of the outputs, are written.
    """
    n_outputs = len(heads)
    rows = np.empty((n_outputs, len(target)))
    interpolate(outputs, starts, shares, rows)
    scaled, slopes = np.empty_like(rows), np.empty_like(rows)
    for k in range(n_outputs):
        scaled[k] = heads[k] * rows[k]
    if n_outputs == 2:
        gaussian_slopes(target, scaled, slopes)
    else:
        scaled[2] = -scaled[2]
        student_slopes(target, scaled, slopes)
        slopes[2] = -slopes[2]
    by_node = np.empty((n_outputs, len(outputs)))
    for k in range(n_outputs):
        by_head[k] = inner_product(slopes[k], rows[k])
        collect(slopes[k], starts, shares, heads[k], by_node[k])
    return by_node


@kernel
def add_multiple(factor: float, vector: Vector, out: Vector) -> None:
    """Add a multiple of one vector to another."""
    for j in range(len(out)):
        out[j] += factor * vector[j]


@kernel
def propagate(at: float, by_output: Vector, weights: Matrix, hidden: Vector, out: Matrix) -> None:
    """Add the derivatives by slopes, offsets and output weights at one node."""
    inward = np.zeros_like(hidden)
    for k in range(len(by_output)):
        add_multiple(by_output[k], weights[2 + k], inward)
        add_multiple(by_output[k], hidden, out[2 + k])
    for j in range(len(hidden)):
        inward[j] *= 1.0 - hidden[j] * hidden[j]
    add_multiple(at, inward, out[0])
    add_multiple(1.0, inward, out[1])


@kernel
def adam_step(
    parameters: Vector, gradient: Vector, means: Vector, squares: Vector, step: int, rate: float
) -> None:
    """Move the parameters by one step of Adam, the first being number 1."""
    first, second = 1.0 - 0.9**step, 1.0 - 0.999**step
    for j in range(len(parameters)):
        means[j] = 0.9 * means[j] + 0.1 * gradient[j]
        squares[j] = 0.999 * squares[j] + 0.001 * gradient[j] * gradient[j]
        width = np.sqrt(np.divide(squares[j], second)) + 1e-8
        parameters[j] -= np.divide(rate * means[j], first * width)


@kernel
def loss_gradient(
    nodes: Vector,
    target: Vector,
    starts: Places,
    shares: Vector,
    parameters: Vector,
    gradient: Vector,
) -> None:
    """Write the gradient of the mean loss over all rows, found by back-propagation."""
    n_outputs = (len(parameters) - 2 * HIDDEN) // (HIDDEN + 2)
    size = (2 + n_outputs) * HIDDEN
    weights = parameters[:size].reshape(2 + n_outputs, HIDDEN)
    by_weight = gradient[:size].reshape(2 + n_outputs, HIDDEN)
    outputs, hidden = network_outputs(nodes, parameters, n_outputs)
    heads, by_head = parameters[-n_outputs:], gradient[-n_outputs:]
    by_node = row_slopes(target, starts, shares, outputs, heads, by_head)
    gradient[:-n_outputs] = 0.0
    for i in range(len(nodes)):
        propagate(nodes[i], by_node[:, i], weights, hidden[i], by_weight)
        for k in range(n_outputs):
            gradient[size + k] += by_node[k, i]
    gradient /= len(target)


@kernel
def train(
    nodes: Vector,
    target: Vector,
    starts: Places,
    shares: Vector,
    parameters: Vector,
    steps: int,
) -> None:
    """Move the parameters by so many steps of Adam, whose rate falls along half a cosine.

    All rows enter each step. Parameters are slopes and offsets of the hidden layer, the
    weights of each output, their biases, and a last factor, or head, for each of them.
    """
    gradient, means = np.zeros_like(parameters), np.zeros_like(parameters)
    squares = np.zeros_like(parameters)
    for step in range(steps):
        loss_gradient(nodes, target, starts, shares, parameters, gradient)
        rate = SLOWEST + 0.5 * (FASTEST - SLOWEST) * (1.0 + cos(pi * step / steps))
        adam_step(parameters, gradient, means, squares, step + 1, rate)
