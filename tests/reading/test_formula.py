"""Statements and the formulas a teacher writes for them, put down by hand; and every statement of the test programs."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from workings.equations import EQUATIONS, equation_of
from workings.reading.formula import DEEPEST, LONGEST, formula
from workings.reading.formula.mathml import mathml

TESTS = Path(__file__).parents[1]

ATTENTION = [
    ("d_k = K.shape[-1]", r"d_k = \text{columns of } K", "d_k = columns of K"),
    ("S = Q @ K.T / np.sqrt(d_k)", r"S = \frac{Q K^{\top}}{\sqrt{d_k}}", "S = Q Kᵀ / √d_k"),
    ("S = S + mask", r"S \leftarrow S + \mathrm{mask}", "S ← S + mask"),
    (
        "W = np.exp(S - S.max(axis=-1, keepdims=True))",
        r"W = e^{S - \max_{\text{row}} S}",
        "W = e^(S − max_row S)",
    ),
    (
        "W = W / W.sum(axis=-1, keepdims=True)",
        r"W \leftarrow \frac{W}{\sum_{\text{row}} W}",
        "W ← W / Σ_row W",
    ),
    ("return W @ V, W", "W V, W", "W V, W"),
    ("Y, W = attention(Q, K, V)", r"(Y, W) = \operatorname{attention}(Q, K, V)", "(Y, W) = attention(Q, K, V)"),
    ("K = V = X", "K = V = X", "K = V = X"),
    (
        "Q, K, V = X @ W_Q, X @ W_K, X @ W_V",
        r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V",
        "Q = X W_Q,  K = X W_K,  V = X W_V",
    ),
    ("attn_scores = torch.empty(6)", r"\mathrm{attn\_scores} \in \mathbf{R}^6", "attn_scores ∈ ℝ⁶"),
    (
        "attn_scores[i] = torch.dot(x_i, query)",
        r"\mathrm{attn\_scores}_i = x_i \cdot \mathrm{query}",
        "attn_scores[i] = x_i · query",
    ),
    (
        "attn_weights = torch.softmax(inputs @ inputs.T, dim=-1)",
        r"\mathrm{attn\_weights} = \operatorname{softmax}_{\text{row}}(\mathrm{inputs}\, \mathrm{inputs}^{\top})",
        "attn_weights = softmax_row(inputs inputsᵀ)",
    ),
    ("context += w[i] * x_i", r"\mathrm{context} \leftarrow \mathrm{context} + w_i x_i", "context ← context + w_i x_i"),
    (
        "all_vecs = weights @ inputs",
        r"\mathrm{all\_vecs} = \mathrm{weights}\, \mathrm{inputs}",
        "all_vecs = weights inputs",
    ),
    (
        "P = F.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1) @ V",
        r"P = \operatorname{softmax}_{\text{row}}\!\left( \frac{Q K^{\top}}{\sqrt{d_k}} \right) V",
        "P = softmax_row(Q Kᵀ / √d_k) V",
    ),
    (
        "scores = scores.masked_fill(mask == 0, float('-inf'))",
        (
            r"\mathrm{scores} \leftarrow \begin{cases} -\infty & \text{if } \mathrm{mask} = 0 \\ "
            r"\mathrm{scores} & \text{otherwise} \end{cases}"
        ),
        "scores ← { −∞ if mask = 0; scores otherwise }",
    ),
    ("y = F.scaled_dot_product_attention(q, k, v)", r"y = \operatorname{Attention}(q, k, v)", "y = Attention(q, k, v)"),
]

ALGEBRA = [
    ("z = a - (b - c)", "z = a - (b - c)", "z = a − (b − c)"),
    ("z = a - b - c", "z = a - b - c", "z = a − b − c"),
    ("z = (a + b) * (a - b)", "z = (a + b) (a - b)", "z = (a + b) (a − b)"),
    ("z = a / b * c", r"z = \frac{a}{b} c", "z = (a / b) c"),
    ("z = a / (b * c)", r"z = \frac{a}{b c}", "z = a / (b c)"),
    ("z = (a + b) / 2", r"z = \frac{a + b}{2}", "z = (a + b) / 2"),
    ("z = a / b / c", r"z = \frac{a / b}{c}", "z = (a / b) / c"),
    ("z = -x ** 2", "z = -x^2", "z = −x²"),
    ("z = (-x) ** 2", "z = (-x)^2", "z = (−x)²"),
    ("z = x * -y", "z = x (-y)", "z = x (−y)"),
    ("z = -x / y", r"z = -\frac{x}{y}", "z = −x / y"),
    ("z = a ** b ** c", "z = a^{b^c}", "z = a^(b^c)"),
    ("z = 2 * 3 + x * 2", r"z = 2 \cdot 3 + x \cdot 2", "z = 2 · 3 + x · 2"),
    ("z = 2 * (1 / 3)", r"z = 2 \cdot \frac{1}{3}", "z = 2 (1 / 3)"),
    ("z = f * (x + 1)", r"z = f \cdot (x + 1)", "z = f · (x + 1)"),
    ("z = 10000 ** (2 * i / d)", "z = 10000^{2 i / d}", "z = 10000^(2 i / d)"),
    ("z = k ** 0.5", r"z = \sqrt{k}", "z = √k"),
    ("z = np.sqrt(a + b) * c", r"z = \sqrt{a + b} c", "z = √(a + b) · c"),
    ("z = v * v", "z = v^2", "z = v²"),
    ("z = a // 2", r"z = \left\lfloor \frac{a}{2} \right\rfloor", "z = ⌊a / 2⌋"),
    ("z = a % b", r"z = a \bmod b", "z = a mod b"),
    ("z = np.sin(x) ** 2 + np.cos(x) ** 2", r"z = \sin^2 x + \cos^2 x", "z = sin² x + cos² x"),
    ("z = np.log(2 * x) * y", r"z = \log(2 x) y", "z = log(2 x) y"),
    ("z = y * np.log(x)", r"z = y \log x", "z = y · log x"),
    ("z = W * X", r"z = W \odot X", "z = W ⊙ X"),
    ("z = (u * W) @ x", "z = (u W) x", "z = (u W) x"),
    ("z = Q @ (K.T @ V)", r"z = Q (K^{\top} V)", "z = Q (Kᵀ V)"),
    ("c = 1.5e-3 * x + 1e-5", r"c = 1.5 \times 10^{-3} x + 10^{-5}", "c = 1.5×10⁻³ x + 10⁻⁵"),
    ("w = np.linalg.inv(X.T @ X) @ X.T @ y", r"w = (X^{\top} X)^{-1} X^{\top} y", "w = (Xᵀ X)⁻¹ Xᵀ y"),
    (
        "cosine = a.dot(b) / (np.linalg.norm(a) * np.linalg.norm(b))",
        r"\mathrm{cosine} = \frac{a \cdot b}{\lVert a \rVert \lVert b \rVert}",
        "cosine = (a · b) / (‖a‖ ‖b‖)",
    ),
    ("mask = (x > 0) & ~m", r"\mathrm{mask} = (x > 0 \land \lnot m)", "mask = (x > 0 ∧ ¬m)"),
    ("a, b = b, a", r"(a, b) \leftarrow (b, a)", "(a, b) ← (b, a)"),
]

NETWORKS = [
    ("y = 1 / (1 + math.exp(-x))", r"y = \frac{1}{1 + e^{-x}}", "y = 1 / (1 + e^(−x))"),
    (
        "y = gamma * (x - mu) / np.sqrt(var + eps) + beta",
        r"y = \frac{\gamma (x - \mu)}{\sqrt{\mathrm{var} + \varepsilon}} + \beta",
        "y = γ (x − μ) / √(var + ε) + β",
    ),
    (
        "x = (x - x.mean(-1)) / x.std(-1)",
        r"x \leftarrow \frac{x - \mu_{\text{row}}(x)}{\sigma_{\text{row}}(x)}",
        "x ← (x − μ_row(x)) / σ_row(x)",
    ),
    ("mu = X.mean(axis=0)", r"\mu = \operatorname{mean}_{\text{column}}(X)", "μ = mean_column(X)"),
    ("v = x.var(dim=1)", r"v = \sigma^2_{\text{axis 1}}(x)", "v = σ²_{axis 1}(x)"),
    (
        "theta -= lr * grad_theta",
        r"\theta \leftarrow \theta - \mathrm{lr} \cdot \mathrm{grad\_theta}",
        "θ ← θ − lr · grad_theta",
    ),
    ("h = torch.tanh(W_hh @ h + b_h)", r"h \leftarrow \tanh(W_{hh} h + b_h)", "h ← tanh(W_hh h + b_h)"),
    (
        "y = np.maximum(0, x @ W1 + b1) @ W2 + b2",
        r"y = \max(0, x W_1 + b_1) W_2 + b_2",
        "y = max(0, x W₁ + b₁) W₂ + b₂",
    ),
    (
        "y = F.relu(x) + torch.sigmoid(x)",
        r"y = \operatorname{ReLU}(x) + \operatorname{sigmoid}(x)",
        "y = ReLU(x) + sigmoid(x)",
    ),
    (
        "h = x + self.attention(self.norm(x))",
        r"h = x + \operatorname{attention}(\operatorname{norm}(x))",
        "h = x + attention(norm(x))",
    ),
    (
        "loss = -np.mean(np.sum(y * np.log(p), axis=-1))",
        r"\mathrm{loss} = -\mu\!\left( \sum_{\text{row}} y \log p \right)",
        "loss = −μ(Σ_row y · log p)",
    ),
    ("z = torch.logsumexp(x, dim=-1)", r"z = \log \sum_{\text{row}} e^x", "z = log Σ_row e^x"),
    ("y_hat = X @ beta_hat", r"\hat{y} = X \hat{\beta}", "ŷ = X β̂"),
    ("x.mul_(0.5)", r"x \leftarrow x \cdot 0.5", "x ← x · 0.5"),
    ("np.exp(S, out=S)", r"S \leftarrow e^S", "S ← e^S"),
    (
        "q = self.wq(x).view(b, t, -1).transpose(1, 2)",
        r"q = \operatorname{transpose}_{1,\,2}(\operatorname{view}_{b \times t \times \ast}(\operatorname{wq}(x)))",
        "q = transpose_{1, 2}(view_{b × t × *}(wq(x)))",
    ),
    ("H = torch.cat([h_1, h_2], dim=-1) @ W_O", r"H = [h_1 \mid h_2] W_O", "H = [h₁ | h₂] W_O"),
    ("H = np.concatenate(heads, axis=-1)", r"H = \operatorname{Concat}(\mathrm{heads})", "H = Concat(heads)"),
    ("H = np.stack([a, b])", r"H = \begin{bmatrix} a \\ b \end{bmatrix}", "H = [a; b]"),
    ("X.normal_()", r"X \sim \mathcal{N}(0, 1)", "X ∼ N(0, 1)"),
    (
        "b = rng.normal(0.0, 0.02, size=3)",
        r"b \sim \mathcal{N}(0.0, 0.02^2)^3",
        "b ∼ N(0.0, 0.02²)³",
    ),
    (
        "best, where = x.max(dim=-1)",
        r"(\mathrm{best}, \mathrm{where}) = (\max_{\text{row}} x, \operatorname{argmax}_{\text{row}} x)",
        "(best, where) = (max_row x, argmax_row x)",
    ),
    ("W = np.random.randn(4, 2)", r"W \sim \mathcal{N}(0, 1)^{4 \times 2}", "W ∼ N(0, 1)^(4 × 2)"),
]

INDICES = [
    ("s = X[i, j] + X[0] + X[1, 2]", r"s = X_{ij} + X_0 + X_{1,\,2}", "s = X_ij + X₀ + X[1, 2]"),
    (
        "a[i][j] -= factor * a[k][j]",
        r"a_{ij} \leftarrow a_{ij} - \mathrm{factor} \cdot a_{kj}",
        "a_ij ← a_ij − factor · a_kj",
    ),
    ("P[:, 0::2] = np.sin(t)", r"P_{:,\,0::2} = \sin t", "P[:, 0::2] = sin t"),
    ("rows = E[ids]", r"\mathrm{rows} = E_{\mathrm{ids}}", "rows = E[ids]"),
    ("X = X / X.sum(axis=1)[:, None]", r"X \leftarrow \frac{X}{\sum_{\text{axis 1}} X}", "X ← X / Σ_{axis 1} X"),
    (
        "w = np.einsum('ij,kj->ik', Q, K) / np.sqrt(d_k)",
        r"w_{ik} = \frac{\sum_j Q_{ij} K_{kj}}{\sqrt{d_k}}",
        "w_ik = (Σ_j Q_ij K_kj) / √d_k",
    ),
    ("t = np.einsum('ii', A)", r"t = \sum_i A_{ii}", "t = Σ_i A_ii"),
    (
        "s = sum(x * y for x, y in zip(a, b))",
        r"s = \sum_{(x, y) \in \operatorname{zip}(a, b)} x y",
        "s = Σ_{(x, y) ∈ zip(a, b)} x y",
    ),
    ("s = sum(w[i] * x[i] for i in range(n))", r"s = \sum_{i = 0}^{n - 1} w_i x_i", "s = Σ_{i=0}^{n−1} w_i x_i"),
    ("t = [f(x) for x in xs]", r"t = [\operatorname{f}(x)]_{x \in \mathrm{xs}}", "t = [f(x) for x ∈ xs]"),
    (
        "normed = [(xi - mu) / math.sqrt(var + eps) for xi in x]",
        r"\mathrm{normed} = \left[ \frac{x_i - \mu}{\sqrt{\mathrm{var} + \varepsilon}} \right]_{x_i \in x}",
        "normed = [(x_i − μ) / √(var + ε) for x_i ∈ x]",
    ),
    (
        "y = x if x > 0 else slope * x",
        r"y = \begin{cases} x & \text{if } x > 0 \\ \mathrm{slope} \cdot x & \text{otherwise} \end{cases}",
        "y = { x if x > 0; slope · x otherwise }",
    ),
    (
        "y = np.where(x > 1, 1, np.where(x < 0, 0, x))",
        r"y = \begin{cases} 1 & \text{if } x > 1 \\ 0 & \text{if } x < 0 \\ x & \text{otherwise} \end{cases}",
        "y = { 1 if x > 1; 0 if x < 0; x otherwise }",
    ),
    (
        "X = np.array([[1.0, 0.20], [-0.1, 1e-3]])",
        r"X = \begin{bmatrix} 1.0 & 0.20 \\ -0.1 & 10^{-3} \end{bmatrix}",
        "X = [1.0, 0.20; −0.1, 10⁻³]",
    ),
    ("losses.append((p - y) ** 2)", r"\mathrm{losses}_{\text{next}} = (p - y)^2", "losses[next] = (p − y)²"),
    (
        "error = X @ params['w_1'] - y",
        r"\mathrm{error} = X\, \mathrm{params}_{\text{w\_1}} - y",
        "error = X params[w_1] − y",
    ),
]

WRITTEN = ATTENTION + ALGEBRA + NETWORKS + INDICES


@pytest.mark.parametrize(("source", "latex", "text"), WRITTEN, ids=[case[0] for case in WRITTEN])
def test_a_statement_reads_as_on_a_board(source, latex, text):
    found = formula(source)
    assert found is not None
    assert (found.latex, found.text) == (latex, text)


@pytest.mark.parametrize(
    ("source", "latex", "text"),
    [
        ("scores = queries @ keys.T / math.sqrt(d_k)", r"S = \frac{Q K^{\top}}{\sqrt{d_k}}", "S = Q Kᵀ / √d_k"),
        ("queries = inputs @ self.W_Q", r"Q = X W^Q", "Q = X W^Q"),
        ("gram = W_Q.T @ W_Q", r"\mathrm{gram} = (W^Q)^{\top} W^Q", "gram = (W^Q)ᵀ W^Q"),
        ("first = W_Q[0] + scores[i, j]", r"\mathrm{first} = W^Q_0 + S_{ij}", "first = W^Q[0] + S_ij"),
        ("scores = scores * mask", r"S \leftarrow S \odot M", "S ← S ⊙ M"),
        ("y = step * x", r"y = \eta x", "y = η x"),
        ("y = low[0]", r"y = {x_{\min}}_0", "y = x_min[0]"),
    ],
)
def test_given_symbols_replace_names(source, latex, text):
    symbols = {
        "scores": "S", "queries": "Q", "keys": "K", "inputs": "X", "mask": "M", "W_Q": "W^Q", "step": r"\eta",
        "low": r"x_{\min}",
    }  # fmt: skip
    found = formula(source, symbols)
    assert found is not None
    assert (found.latex, found.text) == (latex, text)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np",
        "from math import exp",
        "print(W @ V)",
        "for i, x_i in enumerate(inputs):",
        "for i in range(3): s += x[i]",
        "if abs(error) <= delta:",
        "def f(x): return x",
        "pass",
        "name = 'apple'",
        "caption = f'{x:.2f} of {total}'",
        "words = text.split()",
        "rows = []",
        "x = None",
        "flag = True",
        "return",
        "return weights",
        "return self",
        "'''What this file does.'''",
        "torch.manual_seed(0)",
        "loss.backward()",
        "optimiser.step()",
        "rows.append(row)",
        "super().__init__()",
        "self.query = nn.Linear(4, 4)",
        "self.scale = scale",
        "model.eval()",
        "x: float",
        "assert np.allclose(a, b)",
        "",
        "not python at all",
        "\x00",
    ],
)
def test_no_formula_where_there_is_no_mathematics(source):
    assert formula(source) is None


def test_axis_names_are_by_row_and_by_column_and_otherwise_by_number():
    texts = [formula(f"m = S.max({axis})").text for axis in ("", "axis=-1", "0", "dim=2", "axis=(0, 1)", "axis=axis")]
    assert texts == [
        "m = max S",
        "m = max_row S",
        "m = max_column S",
        "m = max_{axis 2} S",
        "m = max_{axes 0, 1} S",
        "m = max_axis S",
    ]


@pytest.mark.parametrize(
    ("call", "divisor"),
    [
        ("x.var()", ""),
        ("torch.var(x)", "over n - 1"),
        ("np.var(x, ddof=1)", "over n - 1"),
        ("x.var(unbiased=False)", "over n"),
        ("x.var(correction=0)", "over n"),
    ],
)
def test_what_a_variance_is_divided_by_is_said_where_the_source_says_it(call, divisor):
    expected = rf"_{{\text{{{divisor}}}}}" if divisor else ""
    assert formula(f"v = {call}").latex == rf"v = \sigma^2{expected}(x)"


@pytest.mark.parametrize(
    ("rows", "columns", "shown"),
    [(8, 8, r"\begin{bmatrix}"), (9, 3, r"\text{(9 × 3 matrix)}"), (2, 9, r"\text{(2 × 9 matrix)}")],
)
def test_large_literals_are_named_by_their_size(rows, columns, shown):
    found = formula(f"X = np.array({[[0.5] * columns] * rows})")
    assert found.latex.startswith(f"X = {shown}")
    assert formula(f"x = {list(range(rows * columns))}").text == f"x = ({rows * columns} numbers)"


def test_names_are_escaped():
    found = formula("y = _private_name(x, mode='100%_#&{}$^~\\\\')")
    box = r"100\%\_\#\&\{\}\$\textasciicircum{}\textasciitilde{}\textbackslash{}"
    assert found.latex == rf"y = \operatorname{{\_private\_name}}(x, \text{{mode}} = \text{{{box}}})"
    assert found.text == "y = _private_name(x, mode = 100%_#&{}$^~\\)"
    assert "100%_#&amp;{}$^~\\" in found.mathml()


def test_control_characters_do_not_reach_the_terminal():
    assert formula("y = f(x, mode='\\x1b[31mred\\u202e')").text == "y = f(x, mode = �[31mred�)"


@pytest.mark.parametrize(("opening", "closing"), [("f(", ")"), ("[", "]"), ("x ** (", ")"), ("1 / (1 + ", ")")])
def test_deep_nesting_falls_back_to_the_source(opening, closing):
    source = "y = " + opening * (DEEPEST + 5) + "x" + closing * (DEEPEST + 5)
    found = formula(source)
    assert found.text == source
    assert found.latex.startswith(r"\texttt{y = ")
    ElementTree.fromstring(found.mathml())


def test_what_exhausts_the_parser_falls_back_to_the_source():
    source = "y = " + "-" * 20_000 + "x"
    assert formula(source).text == source


def test_a_caller_deep_in_the_stack_gets_the_source():
    def at_depth(remaining):
        return at_depth(remaining - 1) if remaining else formula("y = " + "f(" * 60 + "x" + ")" * 60)

    assert at_depth(700).latex.startswith(r"\texttt{")


def test_a_statement_of_data_is_not_read():
    assert formula(f"x = [{'0.5, ' * LONGEST}]") is None


def test_the_lines_of_a_long_statement_are_one_formula():
    assert formula("y = (\n    a  # first\n    + b\n)\n").text == "y = a + b"
    assert formula("a +\n  b").text == "a + b"


def test_mathml_is_one_math_element():
    tree = ElementTree.fromstring(formula("S = Q @ K.T / np.sqrt(d_k)").mathml())
    tags = [part.tag.rpartition("}")[2] for part in tree.iter()]
    assert tags[0] == "math"
    assert {"mfrac", "msqrt", "msup"} <= set(tags)


def test_an_operator_with_a_star_is_the_operator():
    written = mathml(r"\hat{v} = \operatorname*{arg\,max}_v z_v")
    assert "*" not in written
    assert "arg\N{THIN SPACE}max" in written


@pytest.mark.parametrize("name", EQUATIONS)
def test_no_command_of_latex_is_left_in_an_equation(name):
    tree = ElementTree.fromstring(mathml(equation_of(EQUATIONS[name]).latex))
    assert "\\" not in "".join(tree.itertext())


def test_the_converter_is_imported_only_for_mathml():
    code = """if True:
        import sys
        from workings.reading.formula import formula
        formula("y = x @ W")
        print("latex2mathml" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- every statement of the test programs ---------------------------------------------------------------------------


PROGRAMS = sorted([*TESTS.glob("programs/*.py"), *TESTS.glob("scripts/*.py")])


def statements(path):
    source = path.read_text(encoding="utf-8")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    return [(node, ast.get_source_segment(source, node)) for node in nodes]


def assert_sound(latex):
    """Braces, left with right and environments close in order; nothing unescaped; no script doubled or on its own."""
    closing = {"{": "}", r"\left": r"\right", r"\begin": r"\end"}
    expected = []
    for token in re.findall(r"\\[A-Za-z]+|\\.|[^\\]", latex):
        if token in closing:
            expected.append(closing[token])
        elif token in closing.values():
            assert expected, latex
            assert expected.pop() == token, latex
    assert not expected, latex
    bare = re.sub(r"\\(text|texttt|mathrm|operatorname)\{(?:[^{}\\]|\\.|\{\})*\}", "x", latex)
    assert not set("%#$~") & set(re.sub(r"\\.", "", bare)), latex
    shorter, longer = bare, ""
    while shorter != longer:
        longer, shorter = shorter, re.sub(r"(?<!\\)\{(?:[^{}\\]|\\.)*\}", "y", shorter)
    assert not re.search(r"_\w_|\^\w\^|(?:^|[ (])[_^]", shorter), latex


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_statement_of_the_programs_gives_sound_latex_or_nothing(path):
    for _, source in statements(path):
        found = formula(source)
        if found is not None:
            assert_sound(found.latex)
            assert found.text.isprintable(), source
            ElementTree.fromstring(found.mathml())


def test_most_assignments_of_the_programs_have_a_formula():
    kinds = (ast.Assign, ast.AugAssign)
    sources = [source for path in PROGRAMS for node, source in statements(path) if isinstance(node, kinds)]
    assert sum(formula(source) is not None for source in sources) > 0.8 * len(sources)
