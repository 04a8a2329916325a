"""Lists that are the same list: [[0] * 3] * 2, a list in itself, default arguments that change."""


def push(x, seen=[]):  # noqa: B006 - the default that everyone trips over
    seen.append(x)
    return len(seen), sum(seen)


def program(x, y):
    rows = [[0.0] * 3] * 2
    rows[0][1] = x
    rows[1][2] += y
    grid = [[0.0] * 2 for _ in range(2)]
    grid[0][1] = x * y
    same = grid
    same[1] = grid[0]
    same[1][0] = y
    loop = [x, y]
    loop.append(loop)
    n, total = push(x)
    m, more = push(y)
    values = [x, y, x + y]
    values[1:] = values[:2]
    values[::2] = [v * 2 for v in values[::2]]
    values *= 2
    a = b = [x]
    a += [y]
    copy = values[:]
    copy[0] = 5.0
    return rows, grid, loop[2][0], m - n, float(total > 1e9), values, b, copy, values[-1]


FIRST = {"x": 0.5, "y": -1.25}
SECOND = {"x": 1.75, "y": 0.3}
