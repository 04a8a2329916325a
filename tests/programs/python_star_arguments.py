"""Every way of passing arguments: stars, double stars, keyword only, defaults worked out from other values."""


def f(a, b=2.0, *rest, c, d=4.0, **named):
    return a + 10 * b + 100 * sum(rest) + 1000 * c + 10000 * d + sum(named.values())


def g(*args):
    return f(*args[1:], c=args[0])


def program(x, y):
    args, options = [x, y], {"c": y, "e": x}
    r1 = f(*args, **options)
    r2 = f(x, c=y)
    r3 = f(1.0, 2.0, *(x, y), c=x, d=y, z=1.0)
    r4 = g(x, y, x * y)
    merged = {**options, "c": x + y, **{"e": 2 * y}}
    r5 = f(*[x], *(y,), **merged)

    def h(p, q=x * 2, *, r=y * 3):
        return p * q - r

    (a, b), [c, *d] = (x, y), [x + 1, y + 1, x * y]
    e = [*args, *d, x]
    t = (y, *e)
    return r1, r2, r3, r4, r5, h(y), h(1.0, r=x), a, b, c, d, e, t, max(*args), [*range(2)]


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
