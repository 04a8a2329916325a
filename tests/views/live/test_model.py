"""The page of a trained model: its maps compared with attention worked out by PyTorch, its size, and how it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.views.live.board import worked

torch = pytest.importorskip("torch")

from workings.commands.model_working import working_of_run  # noqa: E402
from workings.recording.tensors.session import record  # noqa: E402
from workings.views.live.model import STEPS, maps, render  # noqa: E402

TEXT = "To be, or not"


@pytest.fixture(scope="module")
def working() -> Any:
    return working_of_run("shakespeare", TEXT)


def by_torch(text: str) -> list[np.ndarray[Any, Any]]:
    """The weights of each layer in float64, from the queries and keys that its attention is called with."""
    from workings.commands import runs

    model, tokeniser = runs.language_model("shakespeare")
    model = model.double()
    found: list[np.ndarray[Any, Any]] = []
    kernel = torch.nn.functional.scaled_dot_product_attention

    def listening(queries: Any, keys: Any, values: Any, **about: Any) -> Any:
        scores = queries @ keys.transpose(-1, -2) / queries.shape[-1] ** 0.5
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        found.append(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)[0].numpy())
        return kernel(queries, keys, values, **about)

    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(torch.nn.functional, "scaled_dot_product_attention", listening)
        model(torch.tensor([tokeniser.encode(text)]))
    return found


def test_the_maps_are_the_models_attention(working: Any) -> None:
    found, expected = list(maps(working)), by_torch(TEXT)
    assert len(found) == len(expected) > 1
    for own, weights in zip(found, expected, strict=True):
        assert own.weights.shape == weights.shape
        assert np.abs(own.weights - weights).max() < 1e-5
        assert np.all(own.weights[:, 0, 1:] == 0)  # what the mask hides is exactly 0
        assert own.rows == own.columns
    assert "".join(found[0].rows).replace("▁", " ") == TEXT


def test_the_page_holds_them_in_steps_and_the_last_row_as_it_is(open_page: Any, working: Any) -> None:
    page = open_page(render(working))
    expected = list(maps(working))[1].weights[0]
    shape = list(expected.shape)
    page.locator('[data-map="1"] button').first.click()
    ask = (
        "([r, c]) => Array.from({length: r}, (_, i) => Array.from({length: c}, (_, j) => workings.model.weight(i, j)))"
    )
    held = np.array(page.evaluate(ask, shape))
    assert np.abs(held - expected).max() <= 0.5 / STEPS + 1e-7
    rows = page.locator("#large tbody tr")
    top = int(expected[-1].argmax())
    assert rows.first.locator("th").inner_text().startswith(f"{top}: ")
    assert float(rows.first.locator("td").first.inner_text()) == pytest.approx(expected[-1, top], abs=6e-5)
    assert "exp(" in rows.first.inner_text()
    page.get_by_label("The token that asks").select_option("0")
    assert "each weight is off by 0.0020 at most" in page.locator("#large").inner_text()
    assert rows.first.locator("td").first.inner_text() == "≈ 1.00"  # the first token sees itself alone


def test_each_weight_is_what_the_line_beside_it_gives(open_page: Any, working: Any) -> None:
    page = open_page(render(working))
    for head in page.locator('[data-map="1"] button').all():
        head.click()
        rows = page.locator("#large tbody tr").evaluate_all("r => r.map(e => [...e.cells].map(c => c.textContent))")
        assert len(rows) == 12  # the heaviest
        for _, weight, line in rows:
            assert worked(line) == pytest.approx(worked(weight), rel=1e-3, abs=1e-4), line


def test_what_comes_next(working: Any) -> None:
    from workings.commands import runs

    model, tokeniser = runs.language_model("shakespeare")
    with torch.no_grad():
        shares = model(torch.tensor([tokeniser.encode(TEXT)]))[0, -1].double().softmax(-1)
    assert f"{float(shares.max()):.4f}" in render(working)


def test_six_layers_of_six_heads_over_128_tokens_take_less_than_3_mb() -> None:
    from workings.transformer import Config, DecoderOnly

    torch.manual_seed(0)
    model = DecoderOnly(Config(vocabulary=256, width=96, heads=6, decoder_layers=6, context=128)).eval()
    with torch.no_grad(), record(model) as working:
        model(torch.randint(0, 256, (1, 128)))
    page = render(working)
    assert page.count("<section aria-label=") == 6
    assert len(page.encode()) < 3_000_000


def test_hostile_tokens_are_text(open_page: Any, working: Any) -> None:
    hostile = "<img src=x onerror=window.hit=1>"
    working.groups[0].title = hostile
    page = open_page(render(working))
    assert page.evaluate("window.hit") is None
    assert page.locator("h1").inner_text() == hostile
