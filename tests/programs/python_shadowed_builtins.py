"""Beginners' names: sum, max and list used as variables, and numbers printed with f-strings on the way."""

from math import *


def program(numbers):
    sum = 0
    for number in numbers:
        sum = sum + number
    mean = sum / len(numbers)
    max = numbers[0]
    for number in numbers:
        if number > max:
            max = number
    list = []
    for number in numbers:
        list.append(exp(number - max))
    total = 0
    for i in range(0, len(list)):
        total = total + list[i]
    result = []
    for i in range(0, len(list)):
        result.append(list[i] / total)
    message = f"mean {mean:.2f}, max {max}, softmax {result[0]:.3f}"
    return mean, max, result, sqrt(total), len(message), floor(10 * total), pi * mean


FIRST = {"numbers": [0.5, 1.7, -0.4, 0.9]}
SECOND = {"numbers": [0.3, 1.2, -1.1, 0.8]}
