"""float(), int(), round(), item(), tolist() of arrays: Python's numbers behave as Python's."""

import math

import numpy as np


def program(v, n):
    f = float(v[0])
    r = round(f, 2)
    r2 = round(v[1], 1)
    i = int(v[2] * 100)
    p = int(n[0]) ** 25 % 1000003
    listed = v.tolist()
    rl = [round(a, 1) for a in listed]
    nl = [a**20 for a in n.tolist()]
    s = sum(listed) / len(listed)
    h = math.floor(listed[1] * 10) + math.ceil(f)
    q = f // 0.3
    m = math.fmod(f, 0.3) + f % 0.3
    g = math.gcd(int(n[0]), int(n[1]))
    s32 = np.float32(v[0])
    return (
        f,
        r,
        r2,
        i,
        p,
        rl,
        [float(a % 1000003) for a in nl],
        s,
        h,
        q,
        m,
        g,
        float(s32) * 0.1,
        s32 * np.float32(0.1),
        v.astype(np.float32)[1].item() * 0.1,
        math.pow(f, 2),
        abs(listed[0]),
        f.is_integer(),
        (f).as_integer_ratio()[0],
    )


OPAQUE = True
FIRST = {"v": np.array([0.5678, 1.2345, 2.71828]), "n": np.array([12, 18])}
SECOND = {"v": np.array([1.3579, 0.9876, 3.14159]), "n": np.array([20, 15])}
