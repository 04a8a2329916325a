"""The app: what it shows, what it refuses, and that others do not reach through it."""

from __future__ import annotations

import asyncio
import html
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import workings as wk
from workings import experiments
from workings.app.guarding import Guard
from workings.views.live.page import render


def example(folder: Path, name: str = "mine.toml", title: str = "Mine") -> Path:
    text = wk.example("journey").source_text.replace("Your journey starts with one step", title, 1)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


class TestShows:
    def test_the_index_lists_what_can_be_opened(self, serving: Any, tmp_path: Path) -> None:
        example(tmp_path, "<b>mine.toml")
        (tmp_path / "script.py").write_text("x = 1\n")
        (tmp_path / ".hidden.toml").write_text("")
        answer = serving().ask("/")
        assert answer.status == 200
        for name in ("apple", "journey"):
            assert f">{name}</a>" in answer.text
        for name in ("shakespeare", "bible-en-es"):
            assert f'name="model" value="{name}"' in answer.text
        assert 'href="/write?model=shakespeare"' in answer.text
        assert 'href="/write?model=bible-en-es"' not in answer.text  # a translator continues nothing
        assert "&lt;b&gt;mine.toml" in answer.text
        assert "<b>mine" not in answer.text
        assert "script.py" not in answer.text
        assert ".hidden" not in answer.text

    def test_an_example_is_the_page_of_the_command(self, serving: Any) -> None:
        client = serving()
        assert client.follow("/show?example=apple").text == render(wk.example("apple").run())
        other = client.follow("/show?" + urlencode({"example": "apple", "sentence": "shares fell Apple"}))
        assert other.text == render(wk.example("apple").run("shares fell Apple"))

    def test_every_claim_can_be_run(self, serving: Any) -> None:
        client = serving()
        listed = client.ask("/experiments").text
        assert re.findall(r'href="/experiment\?name=([a-z0-9-]+)"', listed) == list(experiments.names())
        page = html.unescape(client.follow("/experiment?name=perpendicular").text)
        told = experiments.load("perpendicular")
        for said in (told.claim, told.expected, told.run().happened, "Holds."):
            assert said in page
        assert "Does not hold, as it must." in client.follow("/experiment?name=perpendicular&counter").text
        assert client.ask("/experiment?name=nothing").status == 404

    def test_a_wrong_word_is_said(self, serving: Any) -> None:
        answer = serving().follow("/show?example=apple&sentence=pear")
        assert answer.status == 422
        assert "is not in the table" in html.unescape(answer.text)

    def test_a_file_of_the_folder(self, serving: Any, tmp_path: Path) -> None:
        example(tmp_path)
        wk.example("apple").run().save(tmp_path / "kept.workings")
        client = serving()
        assert "<h1>Mine</h1>" in client.follow("/show?file=mine.toml").text
        assert "Apple" in client.follow("/show?file=kept.workings").text
        example(tmp_path, title="Another")  # a file that has changed is shown anew
        import os

        os.utime(tmp_path / "mine.toml", (1, 1))
        assert "<h1>Another</h1>" in client.follow("/show?file=mine.toml").text

    def test_an_example_is_written_in_the_page(self, serving: Any) -> None:
        client = serving()
        assert "<textarea" in client.ask("/own").text
        text = wk.example("journey").source_text
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        done = client.follow("/own", method="POST", body=urlencode({"text": text}), **form)
        assert "<h1>Your journey starts with one step</h1>" in done.text
        broken = text.replace("decimals = 4", "decimal = 4")
        line = broken.splitlines().index("decimal = 4") + 1
        answer = client.ask("/own", "POST", urlencode({"text": broken}), **form)
        assert answer.status == 422
        assert f"line {line}" in answer.text
        assert re.search(rf'class="wrong">\s*{line}  decimal = 4', answer.text)
        checked = client.ask("/check", "POST", broken)
        assert f'"line":{line}' in checked.text
        assert client.ask("/check", "POST", text).text == '{"fine":true}'

    def test_a_model_goes_on_with_the_token_that_is_picked(self, serving: Any) -> None:
        pytest.importorskip("torch")
        client = serving()
        first = client.follow("/write?model=shakespeare&text=ROMEO&temperature=0.8&top_k=5")
        assert first.status == 200
        links = [html.unescape(link) for link in re.findall(r'<th scope="row"><a href="([^"]+)"', first.text)]
        assert len(links) == 12
        assert "5 tokens are left" in first.text
        second = client.follow(links[1])
        text = "".join(
            re.findall(r"<span>([^<]*)</span>", second.text.partition('class="text"')[2].partition("</p>")[0])
        )
        piece = re.findall(r'<th scope="row"><a href="[^"]+">([^<]*)</a>', first.text)[1]
        assert html.unescape(text) == "ROMEO" + html.unescape(piece)
        assert client.follow("/write?model=shakespeare&tokens=99999").status == 422
        for wrong in ("tokens=a", "text=a&temperature=-1", "text=a&top_k=some", "text=a&more=-1", "text=a&more=501"):
            assert client.ask(f"/write?model=shakespeare&{wrong}").status == 400
        assert client.ask("/write?model=nobody&text=a").status == 404

    def test_inside_a_model_that_reads(self, serving: Any) -> None:
        pytest.importorskip("torch")
        client = serving()
        page = client.follow("/look?" + urlencode({"model": "bible-en-es", "text": "In the beginning was the Word."}))
        assert page.status == 200
        assert len(re.findall(r"<h3>[^<]*cross_attention</h3>", page.text)) == 2
        assert client.ask("/look?model=shakespeare&text=+").status == 400
        assert client.ask("/look?run=..&text=a").status == 404


class TestRefuses:
    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
    def test_another_host(self, serving: Any, host: str) -> None:
        assert serving().ask("/", Host=host).status == 400

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost"])
    def test_another_origin(self, serving: Any, origin: str) -> None:
        client = serving()
        assert client.ask("/own", "POST", "text=1", Origin=origin).status == 403
        assert client.ask("/", Origin=origin).status == 403
        assert client.ask("/own", "POST", "text=1", Origin=f"http://127.0.0.1:{client.port}").status == 422

    def test_what_a_page_elsewhere_makes_the_browser_ask(self, serving: Any) -> None:
        client = serving()
        assert client.ask("/show?example=apple", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
        assert (
            client.ask("/own", "POST", "text=1", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 403
        )
        assert client.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200  # a link to it

    @pytest.mark.parametrize(
        "name",
        ["../outside.toml", "/etc/passwd", "sub/../../outside.toml", "link.toml", "linked/inside.toml", ".hidden.toml",
         "mine.toml\0", "script.py", "notes.txt", "", ".", "%2e%2e/outside.toml"],
    )  # fmt: skip
    def test_what_is_not_in_the_folder(self, serving: Any, tmp_path: Path, name: str) -> None:
        folder = tmp_path / "folder"
        (folder / "sub").mkdir(parents=True)
        example(tmp_path, "outside.toml")
        (tmp_path / "elsewhere").mkdir()
        example(tmp_path / "elsewhere", "inside.toml")
        (folder / "link.toml").symlink_to(tmp_path / "outside.toml")
        (folder / "linked").symlink_to(tmp_path / "elsewhere")
        example(folder, ".hidden.toml")
        (folder / "script.py").write_text("raise SystemExit('ran')\n")
        (folder / "notes.txt").write_text("notes\n")
        answer = serving(folder).ask("/show?" + urlencode({"file": name}))
        assert answer.status == 404

    def test_too_much(self, serving: Any) -> None:
        client = serving()
        assert client.ask("/own", "POST", b"text=" + b"a" * 1_100_000).status == 413
        pieces = (b"a" * 200_000 for _ in range(8))  # of a length that is not said
        assert client.ask("/check", "POST", pieces, Transfer_Encoding="chunked").status == 413

    def test_too_slow(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            raise AssertionError("it was let through")

        sent: list[Any] = []

        async def ask() -> None:
            async def receive() -> Any:
                await asyncio.sleep(0.05)
                return {"type": "http.request", "body": b"a", "more_body": True}

            async def send(message: Any) -> None:
                sent.append(message)

            scope = {"type": "http", "method": "POST", "headers": [(b"host", b"here")]}
            await Guard(app, ["here"], seconds=0.3)(scope, receive, send)

        with ThreadPoolExecutor(1) as elsewhere:  # Playwright keeps a loop running in this thread
            elsewhere.submit(asyncio.run, ask()).result()
        assert sent[0]["status"] == 408

    def test_every_answer_says_how_it_may_be_used(self, serving: Any) -> None:
        answer = serving().ask("/")
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "<script" not in answer.text


class TestWork:
    def test_a_script_runs_where_it_is_allowed(self, serving: Any, tmp_path: Path) -> None:
        (tmp_path / "script.py").write_text("x = 2.0\ny = x * 21\n")
        assert "42" in serving(code=True).follow("/show?file=script.py").text

    def test_a_hundred_requests_at_once(self, serving: Any) -> None:
        client = serving()
        paths = ["/", "/own", "/show?example=journey", "/show?example=apple", "/nothing"] * 20
        with ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(client.ask, paths))
        expected = {"/": {200}, "/own": {200}, "/nothing": {404}}
        for path, answer in zip(paths, answers, strict=True):
            assert answer.status in expected.get(path, {200, 303}), path
        assert client.follow("/show?example=apple").text == render(wk.example("apple").run())


def test_what_the_command_refuses(capsys: Any, tmp_path: Path) -> None:
    from workings.cli import main

    for arguments, said in (
        [["serve", str(tmp_path / "no")], "no such folder"],
        [["serve", "--port", "99999"], "a port"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err
