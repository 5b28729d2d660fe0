"""The page of ``bqcd explore`` in a real browser, against a real server."""

from __future__ import annotations

import pytest

from tests.browsing import Witness, chromium

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
    opened.goto(explorer.address)
    yield opened
    browsing.close()
    assert witness.messages == []
    own = (explorer.address, "data:")
    assert [url for url in witness.requests if not url.startswith(own)] == []


def choose(page, *names: str) -> None:
    for name in names:
        page.locator("#columns label").filter(has_text=name).first.get_by_role("checkbox").check()


def judged(page):
    """The report, once it is there."""
    page.get_by_role("button", name="Judge").click()
    page.get_by_text("Done.").wait_for(timeout=WAIT)
    return page.frame_locator("#report")


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
    assert "x and y" in saved


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


def test_settings_of_quantiles_are_for_the_method_that_has_them(page):
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
