"""Formulas of what no line of source spells out: recorded torch models, against what a person would write."""

import json
import warnings

import pytest

import workings as wk
from workings.reading.walk import walk
from workings.recording.running import record_script
from workings.views import data, latex, markdown, terminal

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


def recorded(model, *inputs, **settings):
    with torch.no_grad(), wk.record(model) as working:
        model(*inputs, **settings)
    return working


def computed(function, *inputs):
    with torch.no_grad(), wk.record() as working:
        function(*inputs)
    return working


def formulas(working, kind="text"):
    return [getattr(entry.formula, kind) for entry in walk(working).entries() if entry.formula is not None]


def numbers(*shape):
    return torch.sin(torch.arange(1.0, 1.0 + torch.Size(shape).numel())).reshape(shape).clone()


# -- one module -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "lines"),
    [
        (nn.Linear(4, 2), ["output = input weightᵀ + bias"]),
        (nn.Linear(4, 2, bias=False), ["output = input weightᵀ"]),
        (nn.LayerNorm(4), ["output = LayerNorm(input, weight, bias)"]),
        (nn.LayerNorm(4, elementwise_affine=False), ["output = LayerNorm(input)"]),
        (nn.ReLU(), ["output = ReLU(input)"]),
        (nn.GELU(), ["output = GELU(input)"]),
        (nn.Softmax(dim=-1), ["output = softmax_row(input)"]),
        (nn.Softmax(dim=2), ["output = softmax_row(input)"]),  # the last of three axes, counted from the front
        (nn.LogSoftmax(dim=1), ["output = log(softmax_{axis 1}(input))"]),
        (nn.Softplus(), ["output = log(1 + e^input)"]),
        (nn.Hardtanh(), ["output = min(max(input, −1), 1)"]),
        (nn.Hardshrink(), ["output = hardshrink(input)"]),  # not in the catalogue: by its name
        (nn.Flatten(), ["output = reshape(input)"]),
    ],
    ids=repr,
)
def test_a_module(model, lines):
    assert formulas(recorded(model, numbers(1, 3, 4))) == lines


def test_in_latex():
    assert formulas(recorded(nn.Linear(4, 2), numbers(3, 4)), "latex") == [
        r"\mathrm{output} = \mathrm{input}\, \mathrm{weight}^{\top} + \mathrm{bias}"
    ]


def test_rows_of_a_table():
    assert formulas(recorded(nn.Embedding(5, 4), torch.tensor([1, 3]))) == ["output = weight[input]"]


def test_a_convolution_and_its_norm():
    model = nn.Sequential(nn.Conv1d(2, 3, 2), nn.BatchNorm1d(3, track_running_stats=False))
    assert formulas(recorded(model, numbers(1, 2, 5))) == [
        "output = conv(input, weight) + bias",
        "output = BatchNorm(input, weight, bias)",
    ]


# -- what runs inside a with-block ------------------------------------------------------------------------------------


def test_products_and_known_functions_have_lines_of_their_own():
    def attention(x):
        weights = (x @ x.transpose(-1, -2) / 2.0).softmax(-1)
        return ((weights @ x + x) ** 2).mean()

    assert formulas(computed(attention, numbers(1, 3, 4))) == [
        "matmul#1 = given givenᵀ",
        "softmax = softmax_row(matmul#1 / 2)",
        "matmul = softmax given",
        "mean = μ((matmul + given)²)",
    ]


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        (
            lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x**3))),
            ["multiply = 0.5 given · (tanh(0.7979 (given + 0.044715 given³)) + 1)"],
        ),
        (lambda x: x - 2 * x, ["subtract = given − 2 given"]),
        (lambda x: x.add(x, alpha=-0.5), ["add = given − 0.5 given"]),
        (lambda x: torch.cat([x[:, :2], x[:, 2:]], 1).sum(-1), ["sum = Σ_row [given[:, 0:2] | given[:, 2:3]]"]),
        (lambda x: torch.where(x > 0, x, 0.0), ["where = { given if given > 0; 0 otherwise }"]),
        (lambda x: x.clamp(max=1.0), ["clip = min(given, 1)"]),
        (lambda x: x.clamp(-1.0, 1.0), ["clip = clip(given, −1, 1)"]),
        (lambda x: x.var(-1), ["var = σ²_{row, over n - 1}(given)"]),
        (lambda x: x.std(-1, correction=0), ["std = σ_{row, over n}(given)"]),
        (lambda x: x.amax(dim=(1, 2)), ["max = max_{axes 1, -1} given"]),
        (lambda x: x.norm(dim=-1), ["vector_norm = ‖given‖_row"]),
        (lambda x: x.permute(0, 2, 1) @ x, ["matmul = givenᵀ given"]),
        (lambda x: x.masked_fill(x > 0, float("-inf")), ["masked_fill = { −∞ if given > 0; given otherwise }"]),
        (lambda x: x.clone().add_(1).mul_(x), ["multiply = (given + 1) · given"]),
        (lambda x: x[:, ::2] + 1, ["add = given[:, 0:3:2] + 1"]),
        (lambda x: x[:, None, 0] + 1, ["add = rearrange(given)[:, :, 0] + 1"]),
        (lambda x: x.split([1, 2], 1)[1] * 2, ["multiply = 2 given[:, 1:3]"]),
        (lambda x: x.index_select(0, torch.tensor([0])), ["take = given[given#1]"]),
        (lambda x: x.index_select(1, torch.tensor([0])), ["take = take_{given#1, axis 1}(given)"]),
        (lambda x: x.view(1, 12).sum(-1), ["sum = Σ_row rearrange(given)"]),
        (lambda x: x.view(3, 4).sum(-1), ["sum = Σ_row given"]),
        (torch.special.i0, ["i₀ = i₀(given)"]),
    ],
)
def test_a_function(function, lines):
    assert formulas(computed(function, numbers(1, 3, 4))) == lines


def test_a_longer_line_is_broken_into_several():
    def many(x):
        y = x
        for _ in range(14):
            y = y + x
        return y

    first, second = formulas(computed(many, numbers(3)))
    assert first == "add#10 = given" + " + given" * 10
    assert second == "add = add#10" + " + given" * 4


def test_a_step_of_training():
    model = nn.Linear(4, 2)
    descent = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = numbers(3, 4)
    with wk.record(model) as working:
        functional.cross_entropy(model(inputs), torch.tensor([0, 1, 0])).backward()
        descent.step()
    lines = formulas(working)
    assert lines[:3] == [
        "output = input weightᵀ + bias",
        "log_softmax = log(softmax_row(output))",
        "nll_loss#1 = NLL(log_softmax, given)",
    ]
    slope = "_log_softmax_backward_data"
    assert f"{slope} = nll_loss_backward − e^log_softmax Σ_row nll_loss_backward" in lines
    assert f"matmul = {slope}ᵀ input" in lines
    assert lines[-2:] == ["add#1 = weight − 0.1 matmul", "add = bias − 0.1 sum"]


# -- modules in modules -----------------------------------------------------------------------------------------------


def test_multi_head_attention():
    working = recorded(nn.MultiheadAttention(4, 2, batch_first=True), *[numbers(1, 3, 4)] * 3)
    assert formulas(working) == [
        "linear#1 = query in_proj_weightᵀ + in_proj_bias",
        "copy#1 = rearrange(linear#1)",
        "matmul#1 = 0.7071 copy#1[0] copy#1[1]ᵀ",
        "softmax = softmax_row(matmul#1)",
        "matmul = softmax copy#1[2]",
        "mean = μ_{axis 1}(rearrange(softmax))",  # the heads have an axis of their own by now
        "transpose = matmul out_proj.weightᵀ + out_proj.bias",
    ]


def test_what_flows_from_module_to_module():
    model = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    inputs = numbers(1, 3, 4)
    with wk.record(model) as working:
        model(inputs)
    assert formulas(working)[2:] == [
        "scaled_dot_product_attention = softmax(copy[0] copy[1]ᵀ / √d_k) copy[2]",
        "output = scaled_dot_product_attention out_proj.weightᵀ + out_proj.bias",
        "input = src + dropout1.input",
        "output = LayerNorm(input, weight, bias)",
        "output = input weightᵀ + bias",
        "input = ReLU(linear1.output)",
        "output = input weightᵀ + bias",
        "input = norm1.output + linear2.output",
        "output = LayerNorm(input, weight, bias)",
    ]


def test_a_gated_recurrent_cell():
    working = recorded(nn.GRUCell(4, 3), numbers(2, 4), numbers(2, 3))
    assert formulas(working)[-1] == "output = (hx − tanh) · sigmoid + tanh"


def test_one_value_that_is_three_things_has_each_name_in_its_turn():
    model = nn.TransformerDecoderLayer(4, 2, 8, batch_first=True).eval()
    attention = next(line for line in formulas(recorded(model, numbers(1, 3, 4), numbers(1, 3, 4))))
    assert attention == "output = MultiHead(query, key, value)"


def test_the_same_from_a_saved_working(tmp_path):
    working = recorded(nn.Sequential(nn.Linear(4, 4), nn.Tanh()), numbers(3, 4))
    working.save(tmp_path / "model.workings")
    assert formulas(wk.load(tmp_path / "model.workings")) == formulas(working)


# -- on a page --------------------------------------------------------------------------------------------------------


def test_a_page_of_a_model():
    page = terminal.render(recorded(nn.Sequential(*[nn.Linear(4, 4), nn.Linear(4, 4)]), numbers(3, 4)), width=80)
    assert page.count("  output = input weightᵀ + bias ") == 2
    assert page.count("Every row times a matrix, plus the bias if there is one.") == 1  # said once
    assert "  input = 0.output\n" in page


def test_documents_of_a_model():
    working = recorded(nn.Linear(4, 2), numbers(3, 4))
    formula = r"\mathrm{output} = \mathrm{input}\, \mathrm{weight}^{\top} + \mathrm{bias}"
    assert f"${formula}$" in markdown.render(working)
    assert formula in latex.render(working)


def test_what_only_moves_numbers_has_no_table():
    page = terminal.render(recorded(nn.MultiheadAttention(4, 2, batch_first=True), *[numbers(1, 3, 4)] * 3), width=80)
    after = page.split("copy#1 = rearrange(linear#1)")[1]
    assert after.split("\n")[1:3] == [
        "",
        "  matmul#1 = 0.7071 copy#1[0] copy#1[1]ᵀ                                matmul#1",
    ]
    assert "key = value = query" in page


SCRIPT = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        # shifted by one
        return torch.relu(self.inner(x)) + 1

block = Block()
y = block(torch.ones(1, 3, 4))
"""


def test_a_script_that_calls_modules(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    page = terminal.render(record_script(path), width=80)
    assert "  ReLU(inner(x)) + 1 " in page  # the script's own line
    assert page.count("shifted by one") == 1
    section = page.split("Linear(in_features=4, out_features=4, bias=True)\n")[1]
    assert section.split("\n")[2].startswith("  output = input weightᵀ + bias ")
    assert "inner" in page.split("· called in line 12")[0].split("\n")[-1]
    assert "  weight " not in page  # what went in is not said again


def test_a_part_that_was_cut_before_is_what_went_in():
    whole = numbers(2, 3, 4)
    working = recorded(nn.Linear(4, 2), whole[0])
    assert formulas(working) == ["output = input weightᵀ + bias"]
    assert formulas(computed(lambda x: x * x + x, whole[0])) == ["add = take_flat² + take_flat"]


def test_rows_of_different_lengths_have_no_table_and_are_lists_in_json():
    rows = [numbers(2), numbers(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # once in a process PyTorch says that nested tensors may change
        nested = torch.nested.nested_tensor(rows)
    assert data.plain(nested) == [rows[0].tolist(), rows[1].tolist()]
    working = computed(lambda x: x * 2, nested)
    assert "multiply" not in terminal.render(working)
    json.loads(data.render(working))
