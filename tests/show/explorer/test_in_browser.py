"""The page of ``bqcd explore`` in a real browser, against a real server."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.browsing import Witness, chromium
from tests.show.explorer.visiting import way_in
from tests.waiting import soon

__all__ = ["chromium"]

pytestmark = pytest.mark.xdist_group("browser")

WAIT = 120_000


@pytest.fixture
def page(chromium, explorer):
    """The page, opened; in the end it must have been silent and have asked its own server only."""
    browsing = chromium.new_context(accept_downloads=True)
    opened = browsing.new_page()
    witness = Witness()
    witness.watch(opened)
    opened.goto(explorer.door.file.as_uri())
    opened.wait_for_url(explorer.address)
    yield opened
    browsing.close()
    assert witness.messages == []
    own = (explorer.address, explorer.door.file.as_uri(), "data:")
    assert [url for url in witness.requests if not url.startswith(own)] == []


def choose(page, *names: str) -> None:
    for name in names:
        page.locator("#columns label").filter(has_text=name).first.get_by_role("checkbox").check()


def judged(page):
    """The report, once it is there."""
    page.get_by_role("button", name="Judge").click()
    page.get_by_text("Done.").wait_for(timeout=WAIT)
    return page.frame_locator("#report")


def job_in(page) -> int:
    """Number of the answer that can be saved."""
    return int(page.locator("#save").get_attribute("href").split("/")[1])


def test_the_file_leads_to_an_address_without_a_secret(page, explorer):
    assert page.url == explorer.address
    page.reload()
    assert page.locator("h1").inner_text() == "table.csv"
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"]) == (f"bqcd-{explorer.port}", True)
    assert (cookie["sameSite"], cookie["path"], cookie["expires"]) == ("Strict", "/", -1)
    assert page.evaluate("document.cookie") == ""


def test_the_file_lets_in_again_and_a_used_address_does_not(chromium, explorer):
    for _ in range(2):
        browsing = chromium.new_context()
        opened = browsing.new_page()
        opened.goto(explorer.door.file.as_uri())
        opened.wait_for_url(explorer.address)
        browsing.close()
    _, path = way_in(explorer.door.file)
    browsing = chromium.new_context()
    opened = browsing.new_page()
    opened.goto(explorer.address)
    assert "Open the file that bqcd explore named" in opened.locator("main").inner_text()
    opened.goto(explorer.address.rstrip("/") + path)
    opened.wait_for_url(explorer.address)
    browsing.clear_cookies()
    opened.goto(explorer.address.rstrip("/") + path)
    assert "was used before" in opened.locator("main").inner_text()
    browsing.close()


@pytest.fixture
def neighbour():
    """Another server of this machine: the same site for a browser, and not ours."""

    class Blank(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Blank) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def test_a_page_of_another_port_can_neither_ask_nor_show(page, explorer, neighbour):
    refused = []
    other = page.context.new_page()
    other.on("response", lambda found: refused.append((found.request.method, found.status)))
    other.goto(neighbour)
    sent = """async (address) => {
      const json = {method: "POST", body: "{}", headers: {"Content-Type": "application/json"}};
      const plain = {method: "POST", body: "{}", mode: "no-cors", credentials: "include"};
      for (const [place, how] of [
        ["", {mode: "no-cors", credentials: "include"}],
        ["jobs", plain],
        ["jobs", {...json, credentials: "include"}],
      ]) await fetch(address + place, how).catch(() => {});
      const frame = document.createElement("iframe");
      frame.src = address;
      document.body.append(frame);
      await new Promise((done) => frame.addEventListener("load", done));
    }"""
    other.evaluate(sent, explorer.address)
    assert ("GET", 200) not in refused[1:]
    assert ("GET", 403) in refused
    assert {status for method, status in refused if method == "POST"} <= {403, 415}
    other.close()


def test_the_framed_report_sorts_filters_and_opens_but_cannot_reach_the_server(page, explorer):
    choose(page, "x", "y", "gaps")
    page.locator("#missing").select_option("drop")
    report = judged(page)
    head = report.locator("th[data-key='confidence']")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    rows = report.locator("#pair-table tbody tr[data-pair]")
    assert rows.count() == 3
    report.locator("#filters input[type='search']").fill("gaps")
    assert soon(lambda: rows.count() == 2)
    rows.first.get_by_role("button").first.click()
    assert report.locator("dialog[open] svg").count() > 0
    title = report.locator("#detail-title")
    assert title.evaluate("title => title === document.activeElement")
    first = title.inner_text()
    page.keyboard.press("ArrowRight")
    assert soon(lambda: title.inner_text() != first)
    page.keyboard.press("Escape")
    assert report.locator("dialog[open]").count() == 0
    report.locator("[data-copy='answer']").click()
    report.get_by_text("Copied", exact=True).first.wait_for()
    report.locator("#theme").click()
    assert report.locator("html").get_attribute("data-theme") in ("light", "dark")
    framed = page.frames[1]
    assert framed.evaluate("self.origin") == "null"
    for forbidden in ("document.cookie", "localStorage.length", "parent.document.title"):
        with pytest.raises(Exception, match="SecurityError"):
            framed.evaluate(forbidden)


def test_two_columns_are_judged_shown_and_saved(page, tmp_path):
    choose(page, "x", "y")
    assert page.locator("#chosen").inner_text() == "x and y."
    report = judged(page)
    assert report.locator("h1").inner_text() == "x and y"
    assert "looks like the cause" in report.locator("#answer").inner_text()
    with page.expect_download() as download:
        page.get_by_text("Save report").click()
    download.value.save_as(tmp_path / "report.html")
    saved = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert saved.startswith("<!doctype html>")
    for address in (
        (tmp_path / "report.html").as_uri(),
        f"{page.url}jobs/{job_in(page)}/report.html",
    ):
        alone = page.context.new_page()
        alone.goto(address)
        assert alone.locator("html.scripted h1").inner_text() == "x and y"
        assert alone.locator("#pairs svg").count() > 0
        alone.close()


def test_names_are_text_and_columns_of_text_cannot_be_chosen(page):
    shown = page.locator("#columns bdi").all_inner_texts()
    assert shown == ["x", "y", "word", "gaps", "<script>alert(1)</script>"]
    boxes = page.locator("#columns input")
    assert [boxes.nth(at).is_disabled() for at in range(5)] == [False, False, True, False, False]


def test_columns_are_found_by_a_part_of_their_name(page):
    page.get_by_label("Find a column").fill("SCR")
    assert page.locator("#columns bdi").all_inner_texts() == ["<script>alert(1)</script>"]


def test_what_cannot_be_judged_is_told_in_words(page):
    choose(page, "x", "gaps")
    page.get_by_label("Missing values").select_option("raise")
    page.get_by_role("button", name="Judge").click()
    page.locator("#trouble").wait_for(timeout=WAIT)
    assert "gaps" in page.locator("#trouble").inner_text()
    assert page.locator("#report").is_hidden()


def test_the_page_opens_with_the_table_and_suggestions_that_ask(page):
    assert page.locator("table.preview thead th").all_inner_texts()[:2] == ["x", "y"]
    assert page.locator("table.preview tbody tr").count() == 6
    assert page.locator(".cards .histogram").count() >= 3
    page.locator(".suggestion").first.click()
    page.get_by_text("Done.").wait_for(timeout=WAIT)
    assert page.frame_locator("#report").locator("#verdict .badge").count() == 1
    assert page.locator("#welcome").is_hidden()


def test_all_numbers_are_chosen_at_once_and_their_answers_keep_coming(page):
    page.get_by_role("button", name="All numeric").click()
    boxes = page.locator("#columns input")
    assert [boxes.nth(at).is_checked() for at in range(5)] == [True, True, False, True, True]
    page.locator("#missing").select_option("drop")
    page.get_by_label("Method").select_option("bqcd")
    page.evaluate(
        """() => { window.most = 0; new MutationObserver(() => {
            window.most = Math.max(window.most, document.getElementById("live").children.length);
        }).observe(document.getElementById("live"), {childList: true}); }"""
    )
    report = judged(page)
    assert page.evaluate("window.most") > 0
    assert page.locator("#coming").is_hidden()
    assert report.locator("#pair-table tbody tr[data-pair]").count() == 6


def test_a_third_column_is_asked_about(page):
    choose(page, "x", "y")
    page.locator("#missing").select_option("drop")
    page.get_by_label("Given a column").select_option("gaps")
    report = judged(page)
    assert "'gaps'" in report.locator("#answer").inner_text()


def test_settings_of_quantiles_are_for_the_method_that_has_them(page):
    assert page.get_by_label("Method").input_value() == "panel"
    assert page.get_by_label("Levels").is_hidden()
    page.get_by_label("Method").select_option("bqcd")
    assert page.get_by_label("Levels").is_visible()
    page.get_by_label("Method").select_option("anm")
    assert page.get_by_label("Levels").is_hidden()
    assert "noise independent of X" in page.locator("#assumes").inner_text()


def test_work_can_be_stopped(page):
    choose(page, "x", "y", "gaps")
    page.get_by_label("Method").select_option("gpi")
    page.get_by_role("button", name="Judge").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for(timeout=WAIT)
    assert page.get_by_role("button", name="Stop").is_disabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_serious_fault_of_access(page, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    choose(page, "x")
    faults = Axe().run(page).response["violations"]
    assert [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")] == []


def test_a_phone_need_not_be_scrolled_sideways(page):
    page.set_viewport_size({"width": 375, "height": 740})
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0


def test_on_a_phone_the_answer_comes_into_sight(page):
    page.set_viewport_size({"width": 375, "height": 740})
    choose(page, "x", "y")
    judged(page)
    # The page's policy forbids what wait_for_function would run again and again.
    top = "document.getElementById('report').getBoundingClientRect().top"
    for _ in range(100):
        if page.evaluate(top) < 300:
            break
        page.wait_for_timeout(50)
    assert page.evaluate(top) < 300
