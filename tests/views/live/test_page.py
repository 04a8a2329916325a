"""The page as its readers use it, in Chromium: numbers typed and dragged, words moved, guesses, small screens."""

from __future__ import annotations

import base64
import hashlib
import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.views.live.running import far

import workings as wk
from workings.examples import names
from workings.reading.exact import sign_between
from workings.reading.notation import Notation
from workings.reading.numbers import number
from workings.recording.working import Ref, Working
from workings.views.live.page import render

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def apple() -> Working:
    return wk.example("apple").run()


@pytest.fixture(scope="module")
def apple_page(apple: Working) -> str:
    return render(apple)


def values(page: Any, name: str) -> np.ndarray[Any, Any]:
    return np.array(page.evaluate("name => workings.value(name)", name))


def cell(page: Any, name: str, place: int) -> Any:
    return page.locator(f'article:not([hidden]) figure[data-name="{name}"] td[data-p="{place}"]').first


def until(page: Any, condition: str) -> None:
    """Wait for something; the page's policy forbids Playwright's own way, which evaluates a text."""
    for _ in range(100):
        if page.evaluate(f"() => {condition}"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def test_it_opens_from_disk_and_shows_the_numbers_of_the_text(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    assert page.title() == "Apple shares fell sharply · Workings"
    # Table 2 of the first text.
    row = [cell(page, "projected.weights", place).inner_text() for place in range(4)]
    assert row == ["0.206", "0.319", "0.247", "0.227"]


def test_a_page_is_small(apple_page: str) -> None:
    assert len(apple_page.encode()) < 300_000


@pytest.mark.parametrize("name", names())
def test_every_example_makes_a_page_whose_arithmetic_is_that_of_the_other_views(open_page: Open, name: str) -> None:
    working = wk.example(name).run()
    page = open_page(render(working))
    notation = Notation(working.decimals)
    asked, expected = [], []
    for path, ref in working.index.named():
        step = working.steps[ref.step]
        if ref.index or not step.dtype.endswith(("float64", "bool")):
            continue
        for index in list(np.ndindex(*step.shape))[:3]:
            last = _line(working, ref, index)
            if last.expression is None:
                continue
            tree = last.expanded or last.expression
            flat = int(np.ravel_multi_index(index, step.shape)) if step.shape else 0
            asked.append([path, ref.step, flat])
            sign = sign_between(tree, last.value, working.decimals)
            written = f"({notation.write(tree)})" if step.dtype.endswith("bool") else notation.write(tree)
            expected.append(f"{written} {sign} {notation.number(last.value)}")
    from workings.views.live.program import Program

    program = Program(working)
    found = page.evaluate(
        "places => places.map(([node, place]) => workings.page.text(node, place))",
        [[program.view(Ref(step))[0], program.view(Ref(step))[1] + flat] for _, step, flat in asked],
    )
    assert len(asked) > 20
    told = [(f, e, a) for f, e, a in zip(found, expected, asked, strict=True) if f]
    assert len(told) > len(asked) / 2
    assert [(a[0], f) for f, e, a in told if f != e] == []


def _line(working: Working, ref: Ref, index: tuple[int, ...]) -> Any:
    from workings.reading.arithmetic import arithmetic

    return arithmetic(working, Ref(ref.step, index), depth=0).last


def test_a_typed_number_moves_everything_that_depends_on_it(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page)
    cell(page, "X", 0).dblclick()
    page.keyboard.type("0.1")
    page.keyboard.press("Enter")
    replay = apple.replay({"E[Apple, food]": 0.1})
    for name in ("projected.weights", "plain.output", "heads.output", "similarity.cosine_matrix.cosines"):
        assert far(values(page, name), np.ravel(replay.value(name))) < 1e-12, name
    changed = cell(page, "projected.weights", 1)
    assert changed.get_attribute("data-was") == "0.319"
    moved = page.locator("#moved tbody tr")
    top = max(replay.moved(), key=lambda m: m.largest)
    first = moved.first.locator("td").all_inner_texts()
    assert abs(float(first[1].replace("−", "-")) - float(first[0].replace("−", "-"))) == pytest.approx(
        top.largest, abs=2e-3
    )
    page.get_by_role("button", name="Undo").click()
    assert far(values(page, "projected.weights"), np.ravel(apple["projected.weights"].value)) < 1e-12
    page.get_by_role("button", name="Redo").click()
    assert values(page, "E")[0] == 0.1
    page.get_by_role("button", name="Reset").click()
    assert values(page, "E")[0] == 1.0
    assert page.locator("td.changed").count() == 0


def test_what_is_no_number_changes_nothing(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    cell(page, "X", 0).dblclick()
    page.keyboard.type("lots")
    page.keyboard.press("Enter")
    field = page.locator("td input")
    assert field.get_attribute("aria-invalid") == "true"
    assert page.get_by_role("alert").inner_text() == "A finite number, as 0.25, −1 or 1/3"
    page.keyboard.press("Escape")
    assert page.get_by_role("alert").count() == 0
    assert values(page, "E")[0] == 1.0


def test_the_keyboard_alone(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    cell(page, "E", 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.p") == "3"  # E[shares, finance]
    page.keyboard.press("Alt+ArrowUp")
    assert values(page, "E")[3] == pytest.approx(1.1)
    page.keyboard.press("Alt+Shift+ArrowDown")
    assert values(page, "E")[3] == pytest.approx(1.09)
    page.keyboard.press("2")
    page.keyboard.type(".5")
    page.keyboard.press("Enter")
    assert values(page, "E")[3] == 2.5
    page.keyboard.press("Delete")
    assert values(page, "E")[3] == 1.0
    page.keyboard.press("Control+z")
    assert values(page, "E")[3] == 2.5
    handle = page.locator(".plane .handle").first
    handle.focus()
    page.keyboard.press("ArrowLeft")
    assert values(page, "E")[0] == pytest.approx(0.9)
    assert page.evaluate("document.activeElement.classList.contains('handle')")


def test_an_arrow_is_dragged(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page)
    box = page.locator(".plane .handle").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] - 80, steps=5)
    page.mouse.up()
    until(page, "workings.value('E')[0] < 0.95")
    food, finance = values(page, "E")[:2]
    assert (food, finance) == (round(food, 2), round(finance, 2))
    assert finance > 0.3
    replay = apple.replay({"E[Apple]": [food, finance]})
    assert far(values(page, "projected.output"), np.ravel(replay["projected.output"])) < 1e-12
    page.get_by_role("button", name="Undo").click()  # a drag is one change
    assert values(page, "E")[:2].tolist() == [1.0, 0.2]


def test_words_change_places_and_are_replaced(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    page.get_by_role("button", name="Words 1 and 2 change places").click()
    other = wk.example("apple").run("shares Apple fell sharply")
    assert far(values(page, "projected.weights"), np.ravel(other["projected.weights"].value)) < 1e-12
    heads = page.locator('article:not([hidden]) figure[data-name="projected.weights"] thead th').all_inner_texts()
    assert heads == ["shares", "Apple", "fell", "sharply"]
    # The table has the same four words, and keeps them in its own order.
    table = page.locator('article:not([hidden]) figure[data-name="E"] tbody th').all_inner_texts()
    assert table == ["Apple", "shares", "fell", "sharply"]
    page.get_by_label("Word 4").select_option(label="shares")
    other = wk.example("apple").run("shares Apple fell shares")
    assert far(values(page, "heads.output"), np.ravel(other["heads.output"].value)) < 1e-12


def test_a_convention_is_a_recording_of_its_own(open_page: Open, apple: Working, apple_page: str) -> None:
    page = open_page(apple_page)
    variants = apple.source.variants() if apple.source.variants is not None else {}
    name = next(name for name in variants if "scale" in name)
    page.get_by_label("Conventions").select_option(label=name)
    other = variants[name]()
    assert far(values(page, "projected.weights"), np.ravel(other["projected.weights"].value)) < 1e-12
    shown = cell(page, "projected.weights", 1).inner_text()
    assert shown == number(float(other["projected.weights"].value[0, 1]), apple.decimals)
    assert shown != "0.319"
    page.get_by_role("button", name="Undo").click()
    assert cell(page, "projected.weights", 1).inner_text() == "0.319"


def test_where_a_number_comes_from_to_any_depth(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    cell(page, "projected.weights", 1).click()
    panel = page.locator("#worked")
    assert "= 1.00 / 3.133 ≈ 0.319" in panel.inner_text()
    for _ in range(12):  # down to the numbers that were given
        buttons = panel.locator('button.number[aria-expanded="false"]')
        if not buttons.count():
            break
        buttons.first.click()
    assert "0.20×0.10 + 1.00×1.00 = 1.02" in re.sub(r"\s+", " ", panel.inner_text())
    assert "given" in panel.inner_text()


def test_a_link_and_a_file_restore_the_state(open_page: Open, apple_page: str, tmp_path: Path) -> None:
    page = open_page(apple_page)
    page.evaluate("workings.state.set([[0, 0, 0.5], [0, 3, -1]])")
    link = page.evaluate("workings.page.link()")
    written = page.evaluate("workings.state.written()")
    wanted = values(page, "projected.weights")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("body[data-ready]")
    assert values(page, "E").tolist()[:4] == [0.5, 0.2, 0.1, -1.0]
    assert far(values(page, "projected.weights"), wanted) == 0
    page.get_by_role("button", name="Reset").click()
    (tmp_path / "state.json").write_text(written, encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(tmp_path / "state.json")
    until(page, "workings.value('E')[0] === 0.5")
    (tmp_path / "wrong.json").write_text('{"workings": 1, "program": "as it is", "changes": [["E", 99, 1]]}')
    page.locator('input[type="file"]').set_input_files(tmp_path / "wrong.json")
    page.get_by_text("The file was not taken up").wait_for()
    assert values(page, "E")[0] == 0.5


def test_three_depths(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    steps = page.locator("article:not([hidden]) figure.value").count()
    page.get_by_text("sentences", exact=True).click()
    few = page.locator("article:not([hidden]) figure.value").count()
    assert 0 < few < steps
    assert page.locator("article:not([hidden]) math").count() == 0
    page.get_by_text("numbers", exact=True).click()
    lines = page.locator("article:not([hidden]) ul.every li:visible").all_inner_texts()
    assert any("projected.scores[Apple, shares] = 0.20×0.10 + 1.00×1.00 = 1.02" in line for line in lines)
    assert sum(line.startswith("projected.weights[") for line in lines) == 16


def test_guess_before_it_is_shown(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page)
    page.get_by_role("button", name="Predict").click()
    question = page.locator("form.predict .question")
    assert "?" in question.inner_text()
    first = page.locator("article:not([hidden]) figure.unseen").first
    assert not first.locator("td").first.is_visible()
    field = page.locator("form.predict input, form.predict select")
    field.fill("0.5") if field.evaluate("e => e.tagName") == "INPUT" else field.select_option(index=0)
    page.locator("form.predict button[type=submit]").click()
    assert re.search(r"(Right|You said 0\.50; it is|You said)", question.inner_text())
    page.locator("form.predict button", has_text="Next").click()
    page.get_by_role("button", name="Predict").click()
    assert page.locator(".unseen").count() == 0


def test_positions_lie_on_a_circle_and_parts_lead_to_their_place(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page, reduced_motion="reduce")
    found = page.evaluate("[workings.page.circle.found.n, ...workings.node(workings.page.circle.node)]")
    positions = np.array([[np.sin(n), np.cos(n)] for n in range(4)]).ravel()  # equations (9) and (10) at width 2
    assert far(np.array(found[1:], dtype=float), positions) < 1e-12
    parts = page.locator(".part text").all_text_contents()
    assert parts[-3:] == ["projected", "heads", "positions"]
    page.locator(".part", has_text="projected").click()
    page.wait_for_timeout(100)
    top = page.locator('article:not([hidden]) [data-path="projected"]').bounding_box()
    assert top is not None
    assert -5 < top["y"] < 300


def test_a_slider_changes_a_number_that_stands_alone(open_page: Open) -> None:
    def warmed(x: Any, temperature: Any) -> Any:
        y = x / temperature
        return y

    page = open_page(render(wk.show(warmed, np.array([1.0, 3.0]), np.float64(2.0))))
    slider = page.get_by_role("slider", name="temperature")
    slider.focus()
    page.keyboard.press("ArrowRight")
    value = float(slider.input_value())
    assert value > 2
    assert values(page, "warmed.y")[1] == pytest.approx(3 / value)


HOSTILE = "<img src=x onerror=window.hit=1>"


def hostile() -> str:
    def show(x: Any) -> Any:
        y = x * 2
        return y

    working = wk.show(
        show,
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        labels={"x": ([HOSTILE, "</script><script>window.hit=1</script>"], ["'\"&", "a"])},
    )
    working.groups[0].title = "</title><script>window.hit=1</script>"
    return render(working)


def test_hostile_text_is_text(open_page: Open) -> None:
    page = open_page(hostile())
    page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.images.length") == 0
    assert HOSTILE in page.locator("article:not([hidden])").inner_text()
    assert page.evaluate("document.querySelectorAll('script').length") == 2


def test_the_policy_names_the_scripts_and_styles_of_the_page_and_nothing_else(apple_page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', apple_page)
    assert policy is not None
    script = apple_page.rpartition("<script>")[2].partition("</script>")[0]
    style = apple_page.partition("<style>")[2].partition("</style>")[0]
    for text, kind in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} &#39;sha256-{digest}&#39;" in policy[1] or f"{kind} 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]
    assert " style=" not in apple_page  # the policy would refuse it
    assert not re.search(r"<[^>]+ on[a-z]+=", re.sub(r"<script>.*?</script>", "", apple_page, flags=re.S))


def test_without_scripts_everything_can_be_read(open_page: Open, apple_page: str) -> None:
    page = open_page(apple_page, java_script_enabled=False)
    text = page.locator("main").inner_text()
    assert "0.319" in text
    assert "weights[Apple, shares] = 1.00 / 3.133 ≈ 0.319" in text
    assert not page.locator("#tools").is_visible()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (1920, 1080)])
def test_no_screen_has_to_be_scrolled_sideways(open_page: Open, apple_page: str, width: int, height: int) -> None:
    page = open_page(apple_page, width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cell(page, "projected.weights", 1).click()
    assert page.locator("#worked").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("name", "scheme"), [*((name, "light") for name in names()), ("apple", "dark")])
def test_axe_finds_nothing_that_matters(open_page: Open, name: str, scheme: str) -> None:
    axe = os.environ.get("WORKINGS_AXE", "")
    if not axe:
        pytest.skip("WORKINGS_AXE does not name a copy of axe.min.js")
    page = open_page(render(wk.example(name).run()), color_scheme=scheme)
    page.evaluate(Path(axe).read_text(encoding="utf-8") + "; 0")
    cell(page, "X", 0).click()
    found = page.evaluate(
        "axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html)]))"
    )
    assert [each for each in found if each[0] != "minor"] == []


@pytest.mark.parametrize("name", names())
def test_no_heading_is_further_inside_than_the_one_around_it(name: str) -> None:
    page = render(wk.example(name).run())
    for article in re.findall(r"<article.*?</article>", page, re.S):
        levels = [1, *map(int, re.findall(r"<h([2-6])\b", article))]
        assert len(levels) > 2
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels


def test_a_branch_that_would_go_the_other_way_is_said(open_page: Open) -> None:
    def branching(x: Any) -> Any:
        total = x.sum()
        if total > 1:
            y = x * 2
        else:
            y = x * 3
        return y

    page = open_page(render(wk.show(branching, np.array([1.0, 2.0]))))
    page.evaluate("workings.state.set([[0, 0, -5]])")
    assert "the program would go another way" in page.locator("#moved").inner_text()


def test_a_root_that_stands_in_a_line_is_written_as_one(open_page: Open) -> None:
    def scaled(x: Any) -> Any:
        y = x * 3 / np.sqrt(2)
        return y

    working = wk.show(scaled, np.array([1.0, 3.0]))
    page = open_page(render(working))
    node = page.evaluate("workings.state.program.named.find(({ n }) => n.endsWith('y')).at[0]")
    assert page.evaluate(f"workings.page.text({node}, 1)") == "3.00×3 / √2 ≈ 6.3640"


def test_temperature_and_the_count_of_words_kept_have_sliders(open_page: Open) -> None:
    page = open_page(render(wk.example("next-token").run()))
    logits = values(page, "next.logits")
    kept = page.locator('.dials input[aria-label="next.top_k.top_k.k"]')
    for k in (2, 1, 4, 5):
        kept.fill(str(k))
        # Words that tie with the last one kept are kept too.
        expected = np.where(logits < np.sort(logits)[-k], 0.0, np.exp(logits))
        np.testing.assert_allclose(values(page, "next.top_k.probabilities"), expected / expected.sum(), rtol=1e-12)
    warm = page.locator('.dials input[aria-label="next.temperature_2.temperature.T"]')
    warm.fill("8")
    expected = np.exp(logits / 8)
    np.testing.assert_allclose(values(page, "next.temperature_2.probabilities"), expected / expected.sum(), rtol=1e-12)
