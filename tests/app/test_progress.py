"""Long work: what it says of itself, how the page that waits shows it, and that it can be stopped."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from workings.app import server, writing
from workings.app.work import Progress

ENDLESS = "x = 0\nwhile True:\n    x = (x + 1) % 7\n"


@pytest.fixture
def waiting(serving: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, str]]:
    """A client, and the address of work that does not end by itself."""
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    (tmp_path / "endless.py").write_text(ENDLESS)
    client = serving(code=True)
    place = client.ask("/show?file=endless.py").headers["location"]
    yield client, place
    client.ask(f"{place}/stop", "POST")


@pytest.fixture
def with_torch() -> None:
    pytest.importorskip("torch")


@pytest.fixture
def left_alone(serving: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of an app that soon stops what nobody asks for, with work that does not end by itself."""
    jobs = server.Jobs
    monkeypatch.setattr(server, "Jobs", lambda: jobs(alone=2.0))
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    (tmp_path / "endless.py").write_text(ENDLESS)
    return serving(code=True)


def until(true: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@pytest.mark.parametrize(
    ("progress", "said", "count"),
    [
        (Progress("starting"), "Starting.", ""),
        (Progress("recording", 1234, 0, "steps"), "Recording.", "1,234 steps so far"),
        (Progress("writing", 0, 50, "tokens"), "Writing.", "0 of 50 tokens"),
        (Progress("writing", 12, 50, "tokens"), "Writing.", "12 of 50 tokens"),
        (Progress("writing", 13, 50, "tokens"), "Writing, a quarter is done.", "13 of 50 tokens"),
        (Progress("writing", 49, 50, "tokens"), "Writing, three quarters are done.", "49 of 50 tokens"),
    ],
)
def test_the_sentence_changes_seldom_and_the_count_with_each(progress: Progress, said: str, count: str) -> None:
    assert (progress.said, progress.count) == (said, count)


def test_recording_counts_its_steps(waiting: tuple[Any, str]) -> None:
    client, place = waiting

    def counted() -> int:
        now = json.loads(client.ask(f"{place}/progress").text)
        assert now["ended"] is False
        assert now["of"] == 0  # nobody knows when it ends
        return now["said"] == "Recording." and now["done"]

    first = until(counted)
    until(lambda: counted() > first)
    page = client.ask(place).text
    assert re.search(r'role="status">Recording\.<', page)
    assert re.search(r'id="count">[\d,]+ steps so far, \d+ seconds<', page)
    assert '<noscript><meta http-equiv="refresh"' in page


def test_what_takes_long_can_be_stopped(waiting: tuple[Any, str]) -> None:
    client, place = waiting
    assert client.ask("/").status == 200  # others are answered meanwhile
    assert client.follow("/show?example=journey").status == 200
    assert client.ask(f"{place}/stop", "POST").headers["location"] == place
    stopped = client.ask(place)
    assert stopped.status == 410
    assert 'href="/show?file=endless.py"' in stopped.text  # to begin it again
    assert client.ask("/work/unknown/progress").text == '{"ended":true}'


def test_what_takes_too_long_is_stopped_and_may_be_tried_again(
    serving: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = server.Jobs
    monkeypatch.setattr(server, "Jobs", lambda: jobs(seconds=0.5))
    (tmp_path / "endless.py").write_text(ENDLESS)
    client = serving(code=True)
    for _ in range(2):
        stopped = client.ask("/show?file=endless.py")
        assert stopped.status == 410
        assert "more than 0.5 seconds" in stopped.text


def test_work_goes_on_while_a_page_waits_for_it_and_ends_with_the_last(browser: Any, left_alone: Any) -> None:
    place = left_alone.ask("/show?file=endless.py").headers["location"]
    address = f"http://127.0.0.1:{left_alone.port}"
    closed = browser.new_page()
    closed.goto(address + place)
    until(active_children)
    closed.wait_for_timeout(3000)
    assert active_children()
    context = browser.new_context(java_script_enabled=False)
    left = context.new_page()
    left.goto(address + place)
    closed.close()
    left.wait_for_timeout(3000)
    assert active_children()
    left.goto(f"{address}/")
    until(lambda: not active_children(), 6)
    stopped = left_alone.ask(place)
    assert stopped.status == 410
    assert "Its page was closed or left" in stopped.text
    assert 'href="/show?file=endless.py"' in stopped.text  # to begin it again
    context.close()


def test_work_ends_when_who_asked_hangs_up_before_there_is_an_answer(left_alone: Any) -> None:
    with socket.create_connection(("127.0.0.1", left_alone.port)) as connection:
        host = f"127.0.0.1:{left_alone.port}"
        connection.sendall(f"GET /show?file=endless.py HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    until(active_children)
    until(lambda: not active_children(), 6)
    assert left_alone.ask("/").status == 200


def test_what_is_done_stands_at_the_address_where_it_was_asked_for(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    client = serving()
    place = client.ask("/show?example=journey").headers["location"]
    until(lambda: json.loads(client.ask(f"{place}/progress").text)["ended"])
    assert client.ask(place).headers["location"] == "/show?example=journey"
    assert client.ask("/show?example=journey").status == 200  # at once: it is not worked out again


def test_in_a_browser(browser: Any, waiting: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    client, place = waiting
    now = {"ended": False, "said": "Writing.", "count": "1 of 4 tokens, 0 seconds", "done": 1, "of": 4}
    monkeypatch.setattr(server, "_now", lambda job: now)
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"http://127.0.0.1:{client.port}{place}")
    bar = page.get_by_role("progressbar", name="Writing.")
    assert bar.evaluate("bar => [bar.value, bar.max]") == [1, 4]
    page.evaluate("window.same = true")
    now |= {"said": "Writing, three quarters are done.", "count": "3 of 4 tokens, 1 seconds", "done": 3}
    page.get_by_text("3 of 4 tokens").wait_for()
    assert page.get_by_role("status").inner_text() == "Writing, three quarters are done."
    assert page.locator("progress").evaluate("bar => bar.value") == 3
    assert page.evaluate("window.same")  # the page was not loaded again
    now |= {"of": 0, "done": 0}  # what comes next is not counted
    page.locator("progress:not([value])").wait_for()
    assert complaints == []
    page.get_by_role("button", name="Stop").click()
    assert page.get_by_text("It was stopped.").is_visible()
    page.close()


def test_in_a_browser_without_scripts(browser: Any, waiting: tuple[Any, str]) -> None:
    client, place = waiting
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{client.port}{place}")
    page.get_by_text("steps so far").wait_for()  # it is loaded again every second
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("link", name="Begin again").wait_for()
    context.close()


def test_a_page_says_what_is_counted_on_the_way() -> None:
    import workings as wk
    from workings.views.live import pages

    reports: list[Any] = []
    working = wk.example("journey").run()
    pages.render(working, report=lambda doing, done=0, of=0, what="": reports.append((doing, done, of, what)))
    steps = next(each for each in reports if each[3] == "steps")
    assert len(steps[1]) == steps[2] == len(working.steps)  # what is counted grew to what was said
    assert reports[-1] == ("drawing the page", 0, 0, "")


@pytest.mark.parametrize("path", ["/", "/own", "/write?model=shakespeare&text=ROMEO"])
def test_on_a_phone_nothing_is_wider_than_the_page(browser: Any, serving: Any, path: str) -> None:
    client = serving()
    if path.startswith("/write"):
        pytest.importorskip("torch")
        client.follow(path)
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.goto(f"http://127.0.0.1:{client.port}{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()


@pytest.mark.usefixtures("with_torch")
class TestWriting:
    def test_tokens_are_those_of_one_press_each(self) -> None:
        from workings.app.models import Models
        from workings.commands import runs
        from workings.generation import Sampling, generate

        sampling, reports = Sampling(temperature=0.8, top_k=20), []

        def report(doing: str, done: Any = 0, of: int = 0, what: str = "") -> None:
            reports.append((doing, done, of, what))

        turn = Models().turn("shakespeare", 0.0, "ROMEO:", sampling, more=4, report=report, stop=lambda: False)
        model, tokeniser = runs.language_model("shakespeare")
        tokens = tokeniser.encode("ROMEO:")
        for _ in range(4):
            (written,) = generate(model, [tokens], sampling, length=1, seed=len(tokens))
            tokens += written.tokens
        assert list(turn.tokens) == tokens
        assert turn.note == ""
        assert [each for each in reports if each[0] == "writing"] == [("writing", n, 4, "tokens") for n in range(4)]
        assert reports[0][0] == "loading the model"

    def test_it_ends_where_the_model_has_no_more_places(self) -> None:
        from workings.app.models import MOST, Models
        from workings.generation import GREEDY
        from workings.progress import unheard

        begun = [5] * (MOST - 3)
        turn = Models().turn("shakespeare", 0.0, begun, GREEDY, more=50, report=unheard, stop=lambda: False)
        assert len(turn.tokens) < MOST
        assert "ends here" in turn.note

    def test_what_is_written_when_it_is_stopped_is_kept(self) -> None:
        from workings.app.models import Models
        from workings.generation import GREEDY
        from workings.progress import unheard

        models, asked = Models(), iter([False, False, False, True])
        whole = models.turn("shakespeare", 0.0, "ROMEO:", GREEDY, more=5, report=unheard, stop=lambda: False)
        part = models.turn("shakespeare", 0.0, "ROMEO:", GREEDY, more=5, report=unheard, stop=lambda: next(asked))
        assert part.tokens == whole.tokens[:-2]
        assert part.note == "It was stopped here, 2 tokens before it would have been done."
        assert part.entry["chosen"] == whole.tokens[-2]  # what would have come next

    def test_stopping_in_the_app(self, serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server, "PATIENCE", 0.0)
        monkeypatch.setattr(writing, "MOST", 1900)  # so that it is not done before it is stopped
        client = serving()
        address = "/write?model=shakespeare&text=ROMEO&temperature=0&more=1900"
        place = client.ask(address).headers["location"]
        until(lambda: json.loads(client.ask(f"{place}/progress").text)["done"])
        client.ask(f"{place}/stop", "POST")
        until(lambda: json.loads(client.ask(f"{place}/progress").text)["ended"])
        page = client.follow(place).text
        assert "It was stopped here" in page
        asked = re.search(r'name="tokens" value="([\d,]+)"', page)
        assert asked is not None
        assert 5 < len(asked[1].split(",")) < 1900
        on = client.follow(f"/write?model=shakespeare&temperature=0&more=1&tokens={asked[1]}")
        assert f"{asked[1]}," in on.text  # the same process goes on with it

    def test_several_at_once_in_the_app(self, serving: Any) -> None:
        client = serving()
        page = client.follow("/write?model=shakespeare&text=ROMEO&temperature=0&more=8").text
        asked = re.search(r'name="tokens" value="([\d,]+)"', page)
        assert asked is not None
        tokens = asked[1].split(",")
        begun = re.search(r'name="tokens" value="([\d,]+)"', client.follow("/write?model=shakespeare&text=ROMEO").text)
        assert begun is not None
        assert tokens[:-8] == begun[1].split(",")
        again = client.follow("/write?model=shakespeare&temperature=0&more=1&tokens=" + ",".join(tokens[:-1]))
        assert f'value="{asked[1]}"' in again.text
