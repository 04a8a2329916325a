"""PyTorch recorded: the plain run's numbers, every write and every view followed, little kept, modules as groups."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from tests.recording.programs import load_program

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from workings.recording.evaluation import NotRecorded  # noqa: E402
from workings.recording.running import record_function  # noqa: E402
from workings.recording.tensors import resolve_operator  # noqa: E402
from workings.recording.tensors.ledger import TensorLedger  # noqa: E402
from workings.recording.tensors.session import record  # noqa: E402
from workings.recording.working import Ref  # noqa: E402


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        mixed, _ = self.attention(x, x, x, need_weights=False)
        normed = self.norm(x + mixed)
        return normed + self.feed_forward(normed)


class Model(nn.Module):
    def __init__(self, width=12, heads=3, layers=3):
        super().__init__()
        self.tokens = nn.Embedding(17, width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, 17)

    def forward(self, ids):
        x = self.tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Model().eval()


@pytest.fixture
def ids():
    return torch.tensor([[3, 1, 4, 1, 5]])


def changed(working, **values):
    """Replay a recorded function with other arguments."""
    changes = {}
    for name, value in values.items():
        part = working.argument_parts[name]
        assert isinstance(part, Ref), f"{name} is not one value"
        changes[part] = value
    return working.replay(changes)


def test_a_recorded_model_gives_the_plain_numbers(model, ids):
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            plain = model(ids)
            with record(model) as working:
                recorded = model(ids)
        assert torch.equal(plain, recorded)
        assert recorded.requires_grad is grad
        assert not working.lost


def test_inference_mode_is_recorded_too(model, ids):
    with torch.inference_mode():
        plain = model(ids)
        with record(model) as working:
            recorded = model(ids)
    assert torch.equal(plain, recorded)
    assert torch.equal(working["head.output"].value, plain)


@pytest.mark.parametrize(
    "name",
    ["torch_convolution", "torch_decoder_layer", "torch_in_place", "torch_losses", "torch_rotary", "torch_views"],
)
def test_inference_mode_is_recorded_as_any_run_without_gradients(name):
    program = load_program(name)

    def run(mode):
        with mode:
            return record_function(program.program, [], copy.deepcopy(program.FIRST))

    plain, inferring = run(torch.no_grad()), run(torch.inference_mode())
    assert [(s.function, s.inputs, s.shape) for s in inferring] == [(s.function, s.inputs, s.shape) for s in plain]
    assert [loss.what for loss in inferring.lost] == [loss.what for loss in plain.lost]


def test_bookkeeping_of_inference_mode_is_no_step(model, ids):
    with torch.inference_mode(), record() as working:
        weight = torch.ones(2, 2)
        weight.data = torch.eye(2)  # asks whether one may stand for the other
        result = weight.to(torch.float64).contiguous().expand_as(weight) * 2
    assert result.is_inference()
    assert [s.operation for s in working] == ["ones", "eye", "astype", "multiply"]
    assert not working.lost


def test_a_copied_tensor_comes_from_the_one_it_was_copied_from():
    norm = nn.BatchNorm1d(2).eval()
    norm.running_mean.copy_(torch.tensor([1.0, -2.0]))
    with record(norm) as working:
        copied = copy.deepcopy({"model": norm, "again": norm.running_mean})
        copied["model"](torch.ones(3, 2))
    assert copied["again"] is copied["model"].running_mean
    mean = working["running_mean"].step
    assert (mean.operation, mean.shape) == ("copy", (2,))
    assert working.steps[mean.inputs[0].step].operation == "given"
    assert not working.lost


def test_a_tensor_made_on_other_memory_holds_what_lies_there(tmp_path):
    def program(x):
        torch.save(x, tmp_path / "x.pt")
        loaded = torch.load(tmp_path / "x.pt")
        pickled = pickle.loads(pickle.dumps(x))
        return loaded + pickled

    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    working = record_function(program, [], {"x": x})
    assert torch.equal(working.result, 2 * x)
    assert [loss.kind for loss in working.lost] == [
        "origin not recorded"
    ]  # what went through bytes; a file is an input
    assert all(step.operation != "set" for step in working)
    assert "ℝ⁰" not in str(working)


def test_a_training_step_is_the_plain_one_and_can_be_replayed():
    def step(x, weight):
        w = weight.clone().requires_grad_()
        optimiser = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        for _ in range(2):
            optimiser.zero_grad()
            loss = ((x @ w) ** 2).mean()
            loss.backward()
            optimiser.step()
        return loss.detach(), w.grad, w.detach()

    x, weight = torch.tensor([[1.0, -2.0], [0.5, 3.0]]), torch.tensor([0.3, -0.7])
    other = torch.tensor([[-1.5, 0.4], [2.0, 0.1]])
    working = record_function(step, [], {"x": x, "weight": weight})
    for found, plain in zip(working.result, step(x, weight), strict=True):
        assert torch.equal(found, plain)
    for found, plain in zip(changed(working, x=other).result, step(other, weight), strict=True):
        assert torch.equal(found, plain)
    assert not working.lost


def test_a_factor_is_followed_through_the_backward_pass():
    def gradient(x, factor):
        x = x.clone().requires_grad_()
        ((x * factor).tanh()).sum().backward()
        return x.grad

    x = torch.tensor([0.2, -1.1])
    working = record_function(gradient, [], {"x": x, "factor": 1.5})
    replay = changed(working, factor=-0.4)
    assert torch.equal(replay.result, gradient(x, -0.4))
    assert replay.rerun is None


def test_writes_through_one_view_are_read_through_another():
    def views(x):
        base = x.clone()
        row, column, flat = base[1], base.T[0], base.view(-1)
        row.mul_(3)
        flat[0] = 5.0
        column += 1
        return base.sum(), row * 1, column * 1, flat[::2] * 1

    x, other = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[-1.0, 0.5], [7.0, -2.0]])
    working = record_function(views, [], {"x": x})
    # base becomes [[5, 2], [9, 12]], then its first column gains 1: [[6, 2], [10, 12]]
    assert [v.tolist() for v in working.result] == [30.0, [10.0, 12.0], [6.0, 10.0], [6.0, 10.0]]
    for found, plain in zip(changed(working, x=other).result, views(other), strict=True):
        assert torch.equal(found, plain)


def test_a_value_stays_what_it_was_when_its_memory_is_written():
    def change(x):
        y = x * 2
        z = y + 1
        y.zero_()
        return z, y

    working = record_function(change, [], {"x": torch.tensor([1.0, 2.0])})
    assert working["change.y#1"].value.tolist() == [2.0, 4.0]
    assert working["change.z"].value.tolist() == [3.0, 5.0]


def test_numpy_and_torch_see_each_others_writes():
    def shared(array):
        array = array.copy()
        tensor = torch.from_numpy(array)
        array[0] = 10.0
        first = tensor.sum()
        tensor[1] = 20.0
        second = array.sum()
        back = tensor.numpy()
        back += 1
        return first, second, tensor * 1, float(array[2])

    array, other = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, -6.0])
    working = record_function(shared, [], {"array": array})
    assert [working.result[0].item(), working.result[1], working.result[3]] == [15.0, 33.0, 4.0]
    assert working.result[2].tolist() == [11.0, 21.0, 4.0]
    found, plain = changed(working, array=other).result, shared(other)
    assert (found[0].item(), found[1], found[3]) == (plain[0].item(), plain[1], plain[3])
    assert torch.equal(found[2], plain[2])
    assert not working.lost


def test_numbers_leave_tensors_with_their_origin():
    def leave(x):
        total = x.sum().item() + float(x[0])
        first, second = x.tolist()
        return torch.tensor([total, first * second])

    working = record_function(leave, [], {"x": torch.tensor([2.0, 3.0])})
    assert working.result.tolist() == [7.0, 6.0]
    replay = changed(working, x=torch.tensor([4.0, -1.0]))
    assert replay.result.tolist() == [7.0, -4.0]
    assert replay.rerun is None
    assert not replay.frozen


def test_a_branch_on_a_tensor_is_guarded():
    def branch(x):
        return x * 2 if x.sum() > 0 else x - 1

    working = record_function(branch, [], {"x": torch.tensor([1.0, 2.0])})
    replay = changed(working, x=torch.tensor([-3.0, 1.0]))
    assert replay.rerun is not None
    assert replay.result.tolist() == [-4.0, 0.0]


def test_dropout_keeps_its_mask():
    def drop(x):
        torch.manual_seed(3)
        return nn.functional.dropout(x, 0.5, training=True)

    x = torch.ones(40)
    working = record_function(drop, [], {"x": x})
    mask = drop(x)
    assert torch.equal(working.result, mask)
    assert torch.equal(changed(working, x=torch.full((40,), 3.0)).result, 3.0 * mask)
    assert any(loss.kind == "frozen" for loss in working.lost)


def test_modules_are_groups_and_parameters_have_names(model, ids):
    with torch.no_grad(), record(model) as working:
        model(ids)
    details = {working.index.group_path(g.number): g.detail for g in working.groups if g.kind == "module"}
    assert details["layers.2.norm"] == "LayerNorm((12,), eps=1e-05, elementwise_affine=True, bias=True)"
    assert torch.equal(working["layers.1.norm.weight"].value, model.layers[1].norm.weight)
    assert working["layers.2.normed"].step.operation == "layer_norm"  # a name of the user's own forward
    assert working["ids"].value is not None
    assert working.conventions["mode"] == "evaluation"
    assert "1e-05" in working.conventions["LayerNorm epsilon"]


def test_every_mode_and_every_way_to_sum_a_loss_is_on_the_card():
    def scores(x, target):
        a = torch.nn.functional.cross_entropy(x, target)
        b = torch.nn.functional.cross_entropy(x, target, reduction="sum", weight=torch.tensor([1.0, 2.0]))
        return a + b + torch.nn.functional.mse_loss(x, 2 * x, reduction="sum")

    norm = torch.nn.BatchNorm1d(2)
    with record(norm) as working:
        x = norm(torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
        norm.eval()
        scores(norm(x), torch.tensor([0, 1]))
    card = working.conventions
    assert card["mode"] == "training; evaluation"
    assert card["loss"] == "mean over the positions, sum over the positions, weighted"
    assert card["squared error"] == "sum over the numbers"


def test_what_a_batch_normalisation_keeps_is_worked_out():
    """Means 8/3 and 7/3; the variance over n − 1 of 1, 3, 4 is 7/3; a fifth of each is mixed in."""
    norm = torch.nn.BatchNorm1d(2, momentum=0.2)
    with record(norm) as working:
        norm(torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, 0.0]]))
    mean, variance = str(working.at("running_mean[0]")), str(working.at("running_variance[0]"))
    assert mean.splitlines()[-1] == "running_mean[0] = (1.00 − 0.20)×0.00 + 0.20×2.6667 ≈ 0.00 + 0.5333 = 0.5333"
    assert (
        variance.splitlines()[-1] == "running_variance[0] = (1.00 − 0.20)×1.00 + 0.20×2.3333 ≈ 0.80 + 0.4667 = 1.2667"
    )


def test_parameters_of_parts_that_are_never_called_have_their_names_too():
    """``nn.MultiheadAttention`` multiplies by the weight of its ``out_proj`` and does not call it."""
    block = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    with record(block) as working:
        block(torch.ones(1, 3, 4))
    given = {working.path(step.number): step.value for step in working.steps if step.operation == "given"}
    assert given.keys() - {"src"} == {name for name, _ in block.named_parameters()}
    assert all(torch.equal(given[name], parameter) for name, parameter in block.named_parameters())


def test_what_is_not_kept_is_computed_again_bit_for_bit(model, ids, monkeypatch):
    monkeypatch.setattr(TensorLedger, "small", 0)
    kept = {}
    handles = [
        block.feed_forward.register_forward_hook(lambda m, i, o, k=k: kept.__setitem__(k, o.clone()))
        for k, block in enumerate(model.layers)
    ]
    with torch.no_grad():
        model(ids)
        for handle in handles:
            handle.remove()
        with record(model) as working:
            model(ids)
    for k, value in kept.items():
        item = working[f"layers.{k}.feed_forward.2.output"]
        assert not item.step.kept
        assert torch.equal(item.value, value)


def held(working, model):
    known = {p.untyped_storage().data_ptr() for p in model.parameters()}
    values = [s.value.untyped_storage() for s in working.steps if s.kept and isinstance(s.value, torch.Tensor)]
    return sum({v.data_ptr(): v.nbytes() for v in values if v.data_ptr() not in known}.values())


def test_what_is_held_grows_with_the_length(model, monkeypatch):
    monkeypatch.setattr(TensorLedger, "small", 0)
    sizes = []
    for length in (32, 64, 128):
        ids = torch.zeros(1, length, dtype=torch.long)
        with torch.no_grad(), record(model) as working:
            model(ids)
        sizes.append(held(working, model))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    # the input of each of 3 blocks, 12 wide in float32, and the token ids
    assert sizes[0] == 32 * (3 * 12 * 4 + 8)


def test_a_parameter_changed_afterwards_is_not_taken_for_the_old_one(ids, monkeypatch):
    monkeypatch.setattr(TensorLedger, "small", 0)
    layer = nn.Linear(3, 2)
    with torch.no_grad():
        with record(layer) as working:
            layer(torch.ones(1, 3))
        layer.weight.add_(1.0)
    with pytest.raises(NotRecorded, match="changed in place"):
        working["weight"].value  # noqa: B018 - reading it is the test


def test_small_parameters_are_copied_and_stay(ids):
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    with torch.no_grad():
        with record(layer) as working:
            layer(torch.ones(1, 3))
        layer.weight.add_(1.0)
    assert torch.equal(working["weight"].value, before)


@pytest.mark.parametrize("moved", [lambda w: w * 2.0, lambda w: w.t(), lambda w: w.double()])
def test_a_parameter_that_was_moved_before_its_first_use_is_read_where_it_is(moved):
    layer = nn.Linear(2, 2, bias=False)
    x = torch.tensor([[1.0, -3.0]])
    with torch.no_grad(), record(layer) as working:
        layer.weight.data = moved(layer.weight.data)
        found = layer(x.to(layer.weight.dtype))
    assert torch.equal(working["weight"].value, layer.weight)
    assert torch.equal(found, x.to(layer.weight.dtype) @ layer.weight.T)
    with torch.no_grad():
        again = working.replay({"weight": [[1.0, 2.0], [0.0, -1.0]]}).value("output")
    assert again.tolist() == [[-5.0, 3.0]]  # 1·1 − 3·2, 1·0 + 3·1


def test_two_parameters_on_one_memory_both_have_their_names():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Parameter(torch.tensor([1.0, 2.0]))
            self.second = nn.Parameter(self.first.data)

    class Uses(Tied):
        def forward(self, x):
            return x * self.first + x * self.second

    tied = Uses()
    with torch.no_grad(), record(tied) as working:
        found = tied(torch.tensor([3.0, 5.0]))
    assert found.tolist() == [6.0, 20.0]
    assert working["first"].value.tolist() == working["second"].value.tolist() == [1.0, 2.0]


def test_the_first_of_two_calls_of_a_model_is_found_by_the_address_that_is_shown():
    class Doubled(nn.Module):
        def forward(self, x):
            y = x * 2
            return y + 1

    doubled = Doubled()
    with record(doubled) as working:
        doubled(torch.ones(2))
        doubled(torch.full((2,), 3.0))
    paths = [working.path(number) for number, step in enumerate(working.steps) if step.operation == "multiply"]
    assert paths == ["#1.y", "y"]
    assert [working[path].value.tolist() for path in paths] == [[2.0, 2.0], [6.0, 6.0]]
    assert "2" in str(working["#1.y"].arithmetic(0))


def test_operators_run_again_change_nothing():
    x = torch.tensor([1.0, 2.0])
    again = resolve_operator("aten.add_.Tensor")(x, torch.tensor([10.0, 20.0]))
    assert again.tolist() == [11.0, 22.0]
    assert x.tolist() == [1.0, 2.0]
    first, second = resolve_operator("aten._foreach_mul_.Scalar")([x, x + 1], 2.0)
    assert first.tolist() == [2.0, 4.0]
    assert second.tolist() == [4.0, 6.0]
    assert resolve_operator("aten.bernoulli_.float") is None
    assert resolve_operator("aten.no_such_thing.default") is None


def test_everything_borrowed_is_given_back(model, ids):
    def borrowed():
        functions = nn.functional.linear, nn.functional.layer_norm, nn.functional.gelu
        return torch.Tensor.__repr__, torch.Tensor.__format__, Model.forward, nn.Module._call_impl, *functions

    before = borrowed()
    with record(model) as working:
        model(ids)
    assert borrowed() == before
    steps = len(working.steps)
    model(ids)
    assert len(working.steps) == steps


def test_printing_a_tensor_is_no_part_of_the_computation():
    def show(x):
        text = f"{x.max():.2f} {x}"
        return x * len(text[:3])

    working = record_function(show, [], {"x": torch.tensor([1.0, 2.0])})
    assert [s.operation for s in working.steps if s.function.startswith("aten.")] == ["max", "multiply"]
    assert not working.guards


def test_hooks_of_a_module_run_from_its_groups_beginning_to_after_its_end():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model[1].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    model[1].register_forward_hook(lambda module, args, output: output + 1)
    x = torch.tensor([[1.0, -2.0]])
    with torch.no_grad():
        expected = model(x)
        with record(model) as working:
            found = model(x)
    assert torch.equal(found, expected)
    groups = {s.operation: working.groups[s.group].name for s in working.steps if s.function}
    assert groups == {"linear": "0", "multiply": "1", "relu": "1", "add": ""}
    relu = next(s.number for s in working.steps if s.operation == "relu")
    assert [b.ref.step for b in working.bindings if b.name == "output" and b.group == 3] == [relu]


def test_a_module_that_raises_closes_its_group():
    class Refusing(nn.Module):
        def forward(self, x):
            raise ValueError("refused")

    class Trying(nn.Module):
        def __init__(self):
            super().__init__()
            self.refusing, self.after = Refusing(), nn.ReLU()

        def forward(self, x):
            try:
                return self.refusing(x * 2)
            except ValueError:
                return self.after(x)

    model = Trying()
    with record(model) as working:
        model(torch.tensor([1.0, -1.0]))
    assert [(g.name, g.parent) for g in working.groups[1:]] == [("", 0), ("refusing", 1), ("after", 1)]


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_compiled_module_is_a_group():
    x = torch.tensor([[1.0, -2.0]])
    model = nn.Sequential(nn.Linear(2, 2), torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.ReLU())))
    with torch.no_grad(), record(model) as working:
        model(x)
    last = working.steps[-1]
    assert last.operation == "relu"
    assert working.groups[last.group].name == "1"
