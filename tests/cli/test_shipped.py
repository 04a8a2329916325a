"""The models that ship: whole, small, and as good as their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

from workings.commands.runs import SHIPPED, shipped_names  # noqa: E402
from workings.training.run_directory import RunDirectory  # noqa: E402

MEGABYTE = 1_000_000
# From the part of the plays that was held out.
HELD_OUT = (
    "GREMIO:\nGood morrow, neighbour Baptista.\n\nBAPTISTA:\nGood morrow, neighbour Gremio.\n"
    "God save you, gentlemen!\n\nPETRUCHIO:\nAnd you, good sir! Pray, have you not a daughter\n"
    "Call'd Katharina, fair and virtuous?\n"
)


def test_they_are_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.rglob("*") if file.is_file()) < 8 * MEGABYTE


@pytest.mark.parametrize("name", shipped_names())
def test_each_is_whole_and_has_its_card(name: str) -> None:
    run = RunDirectory.open(SHIPPED / name)
    assert all(bool(torch.isfinite(p).all()) for p in run.model().parameters())
    card = (SHIPPED / name / "MODEL_CARD.md").read_text("utf-8")
    assert f"recipes/{name}.toml" in card
    assert (Path(__file__).parents[2] / "recipes" / f"{name}.toml").is_file()


def test_shakespeare_knows_plays_it_has_not_read() -> None:
    run = RunDirectory.open(SHIPPED / "shakespeare")
    model, ids = run.model(), torch.tensor(run.tokeniser().encode(HELD_OUT))
    windows = ids.unfold(0, 65, 16)  # 64 characters, and for each the next
    with torch.no_grad():
        logits = model(windows[:, :-1])
    loss = F.cross_entropy(logits[:, 32:].flatten(0, 1), windows[:, 33:].flatten())
    assert loss < 1.9  # the card says 1.68 over 111,539 characters; knowing nothing is ln 65 = 4.17


# Exodus 39, one of the chapters that were held out of the training.
VERSES = [
    (
        "He made the ephod of gold, blue, purple, scarlet, and fine twined linen.",
        "Hizo también el ephod de oro, de cárdeno y púrpura y carmesí, y lino torcido.",
    ),
    (
        "They made shoulder straps for it, joined together. It was joined together at the two ends.",
        "Hiciéronle las hombreras que se juntasen; y uníanse en sus dos lados.",
    ),
    (
        "It was square. They made the breastplate double. Its length was a span, and its width a span, being double.",
        "Era cuadrado: doblado hicieron el racional: su longitud era de un palmo, y de un palmo su anchura, doblado.",
    ),
    (
        "and the second row, a turquoise, a sapphire, and an emerald;",
        "El segundo orden, una esmeralda, un zafiro, y un diamante.",
    ),
]


def test_the_translator_knows_verses_it_has_not_read() -> None:
    from workings.training.evaluation import translate

    run = RunDirectory.open(SHIPPED / "bible-en-es")
    model, source, target = run.model(), run.tokeniser(), run.target_tokeniser()
    losses = []
    for english, spanish in VERSES:
        read = torch.tensor([[*source.encode(english), source.end]])
        written = [target.begin, *target.encode(spanish), target.end]
        with torch.no_grad():
            logits = model(read, torch.tensor([written[:-1]]))
        losses.append(F.cross_entropy(logits[0], torch.tensor(written[1:]), reduction="none"))
    assert torch.cat(losses).mean() < 4  # the card says 2.43 over 645 verses; knowing nothing is ln 3,000 = 8.0
    made = translate(model, [english for english, _ in VERSES], source, target).texts
    common = [
        set(text.lower().split()) & set(spanish.lower().split())
        for text, (_, spanish) in zip(made, VERSES, strict=True)
    ]
    assert all(len(words) >= 2 for words in common), made
