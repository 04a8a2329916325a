"""A two-dimensional convolution and a max pooling in nested loops over window slices."""

import numpy as np


def convolve(image, kernel):
    kh, kw = kernel.shape
    out = np.zeros((image.shape[0] - kh + 1, image.shape[1] - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            window = image[i : i + kh, j : j + kw]
            out[i, j] = (window * kernel).sum()
    return out


def max_pool(x, size=2):
    rows = []
    for i in range(0, x.shape[0] - size + 1, size):
        rows.append([x[i : i + size, j : j + size].max() for j in range(0, x.shape[1] - size + 1, size)])
    return np.array(rows)


def program(image, kernel, bias):
    features = convolve(np.pad(image, 1), kernel) + bias
    features *= features > 0
    pooled = max_pool(features)
    return features, pooled, pooled.flatten() @ np.arange(1, pooled.size + 1)


FIRST = {
    "image": np.sin(np.arange(16.0)).reshape(4, 4),
    "kernel": np.array([[0.5, -1.0, 0.3], [0.8, 0.2, -0.6], [1.2, 0.7, 0.1]]),
    "bias": 0.1,
}
SECOND = {
    "image": np.cos(0.7 * np.arange(16.0)).reshape(4, 4),
    "kernel": np.array([[-0.3, 0.9, 0.6], [0.4, -1.1, 0.75], [0.25, 0.5, -0.8]]),
    "bias": 0.3,
}
