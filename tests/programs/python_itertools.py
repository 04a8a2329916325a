"""itertools accumulate, product, chain, combinations, pairwise, islice, cycle and zip_longest."""

from itertools import accumulate, chain, combinations, cycle, islice, pairwise, product, zip_longest
from math import dist, prod


def program(xs, ys):
    cumulative = list(accumulate(xs))
    largest_so_far = list(accumulate(xs, max))
    grid = [x * y for x, y in product(xs, ys)]
    gaps = [b - a for a, b in pairwise(xs)]
    dots = {(i, j): xs[i] * xs[j] for i, j in combinations(range(len(xs)), 2)}
    joined = sum(chain(xs, ys))
    signed = [s * x for s, x in zip(cycle([1, -1]), xs)]
    padded = [a + b for a, b in zip_longest(xs, ys, fillvalue=0.0)]
    first_two = list(islice((x * x for x in xs), 2))
    flat = list(chain.from_iterable([xs, ys]))
    return (
        cumulative,
        largest_so_far,
        grid,
        gaps,
        dots,
        joined,
        signed,
        padded,
        first_two,
        flat,
        prod(xs),
        dist(xs[:2], ys),
    )


FIRST = {"xs": [0.5, -1.0, 1.5], "ys": [2.0, 0.3]}
SECOND = {"xs": [1.3, 0.6, -0.4], "ys": [-0.8, 1.7]}
