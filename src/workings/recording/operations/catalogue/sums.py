"""Operations that make one number from many: reductions, sums of products, linear algebra."""

from __future__ import annotations

ENTRIES: dict[str, tuple[str, str]] = {
    # -- along an axis --------------------------------------------------------------------------------------------
    "sum": ("The numbers along an axis are added up.", "x, *, axis: np.sum(x, axis)"),
    "total": ("Several values are added one after another.", "*x: sum(x)"),
    "sum_at": ("The numbers between one given place and the next are added up.", "x, places: np.sum(x[places])"),
    "nansum": ("The numbers along an axis are added up; what is no number is left out.", "x, *, axis: np.sum(x, axis)"),
    "gathered": ("Everything that one number was copied to is added up.", "x: np.sum(x)"),
    "prod": ("The numbers along an axis are multiplied with one another.", "x, *, axis: np.prod(x, axis)"),
    "nanprod": (
        "The numbers along an axis are multiplied; what is no number is left out.",
        "x, *, axis: np.prod(x, axis)",
    ),
    "mean": (
        "The numbers along an axis are added up and divided by how many there are.",
        "x, *, axis: np.mean(x, axis)",
    ),
    "nanmean": (
        "The mean of the numbers along an axis; what is no number is left out.",
        "x, *, axis: np.mean(x, axis)",
    ),
    "average": ("The mean, in which each number counts by its weight.", "x, *, axis, weights: average(x, weights)"),
    "median": ("The number in the middle when all are put in order.", "x, *, axis: np.median(x, axis)"),
    "var": (
        "The mean of the squared distances from the mean. NumPy divides by n; PyTorch by n − 1 unless told otherwise.",
        "x, *, axis, ddof: np.var(x, axis, ddof=ddof)",
    ),
    "var_mean": ("The mean of the squared distances from the mean.", "x, *, axis, ddof: np.var(x, axis, ddof=ddof)"),
    "var_mean[1]": ("The mean along an axis.", "x, *, axis: np.mean(x, axis)"),
    "nanvar": ("The variance; what is no number is left out.", "x, *, axis, ddof: np.var(x, axis, ddof=ddof)"),
    "std": ("The square root of the variance.", "x, *, axis, ddof: np.std(x, axis, ddof=ddof)"),
    "nanstd": (
        "The square root of the variance; what is no number is left out.",
        "x, *, axis, ddof: np.std(x, axis, ddof=ddof)",
    ),
    "std_mean": ("The square root of the variance.", "x, *, axis, ddof: np.std(x, axis, ddof=ddof)"),
    "std_mean[1]": ("The mean along an axis.", "x, *, axis: np.mean(x, axis)"),
    "max": ("The largest number along an axis.", "x, *, axis: np.max(x, axis)"),
    "max[1]": ("The place of the largest number along an axis.", "x, *, axis: np.argmax(x, axis)"),
    "min": ("The smallest number along an axis.", "x, *, axis: np.min(x, axis)"),
    "min[1]": ("The place of the smallest number along an axis.", "x, *, axis: np.argmin(x, axis)"),
    "amax": ("The largest number along an axis.", "x, *, axis: np.max(x, axis)"),
    "amin": ("The smallest number along an axis.", "x, *, axis: np.min(x, axis)"),
    "aminmax": ("The smallest number along an axis.", "x, *, axis: np.min(x, axis)"),
    "aminmax[1]": ("The largest number along an axis.", "x, *, axis: np.max(x, axis)"),
    "nanmax": ("The largest number along an axis; what is no number is left out.", "x, *, axis: np.max(x, axis)"),
    "nanmin": ("The smallest number along an axis; what is no number is left out.", "x, *, axis: np.min(x, axis)"),
    "ptp": (
        "How far the largest number along an axis is from the smallest.",
        "x, *, axis: np.max(x, axis) - np.min(x, axis)",
    ),
    "argmax": ("The place of the largest number along an axis, counted from 0.", "x, *, axis: np.argmax(x, axis)"),
    "argmin": ("The place of the smallest number along an axis, counted from 0.", "x, *, axis: np.argmin(x, axis)"),
    "nanargmax": (
        "The place of the largest number along an axis; what is no number is left out.",
        "x, *, axis: np.argmax(x, axis)",
    ),
    "nanargmin": (
        "The place of the smallest number along an axis; what is no number is left out.",
        "x, *, axis: np.argmin(x, axis)",
    ),
    "all": ("Whether every number along an axis is other than 0.", "x, *, axis: np.all(x, axis)"),
    "any": ("Whether some number along an axis is other than 0.", "x, *, axis: np.any(x, axis)"),
    "count_nonzero": ("How many numbers are other than 0.", "x, *, axis: np.sum(x != 0, axis)"),
    "cumsum": ("Running sums along an axis.", "x, *, axis: np.cumsum(x, axis)"),
    "cumprod": ("Running products along an axis.", "x, *, axis: np.cumprod(x, axis)"),
    "logcumsumexp": (
        "The logarithm of the running sum of the exponentials.",
        "x, *, axis: np.log(np.cumsum(np.exp(x), axis))",
    ),
    "cummax": ("The largest number so far, along an axis.", "x: cummax(x)"),
    "cummin": ("The smallest number so far, along an axis.", "x: cummin(x)"),
    "diff": ("Each number less the one before it, along an axis.", "x: diff(x)"),
    "ediff1d": ("Each number less the one before it.", "x: diff(x)"),
    "gradient": ("How fast the numbers change from place to place.", "x: gradient(x)"),
    "trapezoid": ("The area under a line through the numbers.", "y, x: trapezoid(y, x)"),
    "logsumexp": ("The logarithm of the sum of the exponentials.", "x, *, axis: torch.logsumexp(x, axis)"),
    "norm": (
        "The length of a vector: the square root of the sum of its squares.",
        "x, *, ord, axis: np.linalg.norm(x, ord, axis=axis)",
    ),
    "vector_norm": (
        "The length of a vector: the square root of the sum of its squares.",
        "x, *, ord, axis: np.linalg.norm(x, ord, axis=axis)",
    ),
    "linalg_vector_norm": (
        "The length of a vector: the square root of the sum of its squares.",
        "x, *, ord, axis: np.linalg.norm(x, ord, axis=axis)",
    ),
    "dist": ("How far two points are from one another.", "a, b: np.linalg.norm(a - b)"),
    "_cdist_forward": ("How far each point of one set is from each point of another.", "a, b: distances(a, b)"),
    "percentile": ("The number that so many in a hundred are not above.", "x, q: percentile(x, q)"),
    "quantile": ("The number that such a share of all is not above.", "x, q: quantile(x, q)"),
    "cov": ("How quantities vary together: the means of the products of their distances from the mean.", "x: cov(x)"),
    "corrcoef": ("How quantities vary together, between −1 and 1.", "x: corrcoef(x)"),
    # -- sums of products -----------------------------------------------------------------------------------------
    "matmul": (
        (
            "Rows times columns: each number of the result is the dot product of a row of the first matrix and a "
            "column of the second."
        ),
        "A, B: A @ B",
    ),
    "mm": ("Rows times columns.", "A, B: A @ B"),
    "bmm": ("Rows times columns, matrix by matrix.", "A, B: A @ B"),
    "mv": ("Each row of a matrix times a vector.", "A, x: A @ x"),
    "matvec": ("Each row of a matrix times a vector.", "A, x: A @ x"),
    "vecmat": ("A vector times each column of a matrix.", "x, A: x @ A"),
    "dot": ("Products of numbers in the same place, added up.", "a, b: np.dot(a, b)"),
    "inner": ("The dot products of the rows of one array with the rows of another.", "a, b: np.inner(a, b)"),
    "vdot": ("Products of numbers in the same place, added up.", "a, b: np.vdot(a, b)"),
    "vecdot": ("The dot products of vectors, pair by pair.", "a, b: np.dot(a, b)"),
    "outer": ("Every number of the first vector times every number of the second.", "a, b: np.outer(a, b)"),
    "einsum": (
        "Products of numbers, added up over the axes whose letter is not in the result.",
        "indices, *arrays: np.einsum(indices, *arrays)",
    ),
    "tensordot": ("Products of numbers, added up over the axes that are named.", "A, B: tensordot(A, B)"),
    "kron": ("Every number of the first matrix times the whole of the second.", "A, B: np.kron(A, B)"),
    "cross": ("The vector at right angles to two others.", "a, b: np.cross(a, b)"),
    "trace": ("The sum of the numbers on the diagonal.", "A: np.trace(A)"),
    "addmm": (
        "A matrix product plus a bias.",
        "b, x, W, *, beta, alpha: alpha * (x @ W) + beta * b",
    ),
    "addmv": (
        "A matrix times a vector, plus a bias.",
        "b, W, x, *, beta, alpha: alpha * (W @ x) + beta * b",
    ),
    "baddbmm": (
        "Matrix products plus a bias.",
        "b, x, W, *, beta, alpha: alpha * (x @ W) + beta * b",
    ),
    "_trilinear": ("Products of three arrays, added up along an axis.", "x, y, z: np.sum(x * y * z)"),
    "convolve": (
        "A row of weights moved along a row of numbers: at each place, the sum of products.",
        "x, w: conv(x, w)",
    ),
    "correlate": (
        "A row of weights moved along a row of numbers, not turned round: at each place, the sum of products.",
        "x, w: correlate(x, w)",
    ),
    "polyval": ("A polynomial with these factors, at a number.", "p, x: p(x)"),
    "vander": ("Every number in all its powers.", "x: vander(x)"),
    "interp": ("A point on the line through given points.", "x, known, values: interp(x, known, values)"),
    # -- matrices -------------------------------------------------------------------------------------------------
    "linalg_solve": ("What a matrix must be multiplied by, to give this.", "A, b: np.linalg.solve(A, b)"),
    "linalg_inv": ("The matrix that undoes a matrix.", "A: np.linalg.inv(A)"),
    "linalg_pinv": ("The matrix that undoes a matrix as well as can be.", "A: np.linalg.pinv(A)"),
    "linalg_det": ("By how much a matrix makes areas or volumes larger.", "A: np.linalg.det(A)"),
    "linalg_slogdet": ("The sign of the determinant.", "A: np.sign(np.linalg.det(A))"),
    "linalg_slogdet[1]": ("The logarithm of the determinant without its sign.", "A: np.log(np.abs(np.linalg.det(A)))"),
    "linalg_cholesky": (
        "A triangle that is a kind of root of a matrix: times its own transpose, it gives it.",
        "A: cholesky(A)",
    ),
    "linalg_matrix_power": ("A matrix multiplied by itself so many times.", "A, n: np.linalg.matrix_power(A, n)"),
    "linalg_matrix_rank": ("How many rows of a matrix say something that the others do not.", "A: rank(A)"),
    "linalg_multi_dot": ("Matrices multiplied one after another.", "matrices: multi_dot(matrices)"),
    "linalg_cond": ("How much a matrix can make errors grow.", "A: cond(A)"),
}
