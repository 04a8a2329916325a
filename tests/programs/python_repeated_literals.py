"""Equal numbers that mean different things: 1, 1.0 and 0.5 typed several times and given several times."""


def program(prices, amounts, discount):
    one = 1
    step = 1
    half = 0.5
    share = 0.5
    total = 0
    count = 0
    for price, amount in zip(prices, amounts):
        total += price * amount
        count += amount
        step = step + 1
    mean = total / count
    rebate = half * total * discount
    return [total, count, mean, rebate, share * mean, one - discount, step * half, one * share]


FIRST = {"prices": [1, 1, 2, 1], "amounts": [2, 1, 1, 1], "discount": 0.5}
SECOND = {"prices": [3, 2, 3, 2], "amounts": [1, 2, 3, 2], "discount": 0.25}
