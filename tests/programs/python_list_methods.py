"""append, extend, insert, pop, reverse, sort, index, remove, count, copy and clear on lists of floats."""


def program(values, extra, new):
    work = values.copy()
    work.append(new)
    work.extend(extra)
    work.insert(1, new * 2)
    last = work.pop()
    first = work.pop(0)
    work.remove(values[1])
    before = list(work)
    work.reverse()
    backwards = work[:]
    work.sort()
    where = work.index(new)
    how_many = work.count(new)
    work[where] += 10.0
    stack = []
    for v in values:
        stack.append(v * last)
        if len(stack) > 2:
            stack.pop(0)
    rest = [*stack, first, *extra]
    rest += [last - first]
    stack.clear()
    return before, backwards, work, where, how_many, rest, len(stack)


FIRST = {"values": [0.5, -1.0, 1.5], "extra": [0.2, 0.9], "new": 0.7}
SECOND = {"values": [0.3, -0.6, 1.8], "extra": [-0.1, 1.1], "new": 0.4}
