"""Numbers that become text and numbers again; text that was never a number."""

BRANCHES = True


def program(x, y):
    text = f"{x:.2f}"
    back = float(text) * 2
    table = "1.5 2.5 3.5"
    values = [float(t) * y for t in table.split()]
    n = len(str(x))
    word = "a,b".split(",")
    counts = {w: i * x for i, w in enumerate(word)}
    joined = "%s" % y
    return back, values, n, counts, float(joined), int("7") * x, "b" in counts, word[0] * 2


FIRST = {"x": 0.5, "y": 1.25}
SECOND = {"x": 0.75, "y": 1.5}
