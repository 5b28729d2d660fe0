"""Pages in a real browser: sorted, filtered, opened, moved about, printed, and read aloud."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.browsing import without
from tests.show.pages import contents

pytestmark = pytest.mark.xdist_group("browser")

pairs, graph = cache(contents.pairs_content), cache(contents.graph)

ROWS = "#pair-table tbody tr[data-pair]"
KINDS = ("pairs", "single", "graph", "benchmark")
PHONE = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}


def column(page, key: str) -> list[str]:
    """Text of one column of the pairs on show."""
    at = page.locator(f"#pair-table th[data-key='{key}']").evaluate("head => head.cellIndex")
    return page.locator(f"{ROWS} > :nth-child({at + 1})").all_inner_texts()


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace(",", "").removesuffix(" %")) for text in texts if text != "–"]  # noqa: RUF001


@pytest.mark.parametrize("kind", [*KINDS, "nothing"])
def test_a_page_opens_offline_and_runs_nothing_that_a_name_says(visit, kind):
    page = visit(kind)
    assert page.locator("html.scripted").count() == 1
    assert page.locator("img").count() == 0
    assert page.title() != "1"


def test_axes_of_dates_and_words_are_labelled_as_such(visit):
    page = visit("dated")
    told = set(page.locator("svg text").all_text_contents())
    assert {"2005", "2010", "2015", "no", "yes"} <= told


def test_a_name_that_looks_like_a_script_is_shown_as_it_is(visit):
    page = visit("pairs")
    shown = page.locator("#pair-table bdi").all_text_contents()
    assert set(contents.NASTY) <= set(shown)


def test_the_table_says_the_same_with_and_without_its_script(visit):
    plain = visit("pairs", java_script_enabled=False)
    scripted = visit("pairs")
    first = "#pair-table tbody tr:nth-child(-n+50)"
    told = [
        ["".join(text.split()) for text in page.locator(first).all_text_contents()]
        for page in (plain, scripted)
    ]
    assert len(told[0]) == 50
    assert told[0] == told[1]
    assert plain.locator("#filters").is_hidden()
    assert plain.get_by_text("How to cite").is_visible()


def test_a_click_on_a_head_sorts_and_a_second_turns_the_order(visit):
    page = visit("pairs")
    head = page.locator("th[data-key='confidence']")
    assert head.get_attribute("aria-sort") is None
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    found = numbers(column(page, "confidence"))
    assert found == sorted(found, reverse=True)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    found = numbers(column(page, "confidence"))
    assert found == sorted(found)
    assert column(page, "confidence")[0] == "0"


def test_the_keyboard_sorts_opens_a_pair_walks_on_and_comes_back(visit):
    page = visit("pairs")
    page.locator("th[data-key='n_rows'] button").focus()
    page.keyboard.press("Enter")
    assert page.locator("th[data-key='n_rows']").get_attribute("aria-sort") == "descending"
    first = page.locator("#pair-table tbody button").first
    first.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    address = "() => location.hash"
    opened = page.evaluate(address)
    page.keyboard.press("ArrowRight")
    assert re.fullmatch(r"#pair-\d+", page.evaluate(address))
    assert page.evaluate(address) != opened
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.wait_for_function("() => location.hash === ''")
    assert first.evaluate("button => button === document.activeElement")


def test_filters_narrow_the_table_and_say_how_many_are_left(visit):
    page = visit("pairs")
    rows, count = page.locator(ROWS), page.locator("#count")
    page.get_by_label("Name contains").fill("INCOME")
    wanted = [row for row in pairs()["pairs"] if "income" in (row["x"], row["y"])]
    assert rows.count() == len(wanted) > 3
    assert count.inner_text() == f"{len(wanted)} of 60 pairs match."
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Confidence at least").fill("0.05")
    assert min(numbers(column(page, "confidence"))) >= 0.05
    page.get_by_label("p (independence) below").fill("0.001")
    assert set(column(page, "dependence_p")) == {"< 0.001"}
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Decided only").check()
    assert not any("—" in text for text in column(page, "pair"))
    assert "cannot tell" not in column(page, "answer")
    page.get_by_label("Name contains").fill("no such name")
    assert "No pair passes" in page.locator("#pair-table tbody").inner_text()


def test_a_pair_shows_its_pictures_numbers_and_caveats(visit):
    page = visit("pairs")
    page.locator(ROWS).nth(1).locator("td").nth(3).click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    told = pairs()["details"]["1"]
    assert page.evaluate("() => location.hash") == "#pair-1"
    assert dialog.locator(".said").inner_text() == told["sentence"]
    assert dialog.locator("figure").count() == 3
    for panel in (0, 1):
        curves = dialog.locator("figure").nth(panel).locator("path.curve")
        assert curves.count() == 3
    assert dialog.locator(".numbers").is_hidden()
    dialog.get_by_text("Numbers, assumptions and internals").click()
    labels = dialog.locator(".numbers dt").all_inner_texts()
    assert labels[:5] == ["Answer", "Confidence", "Probability", "Stability", "Interval"]
    for line in (*told["assumptions"], *told["caveats"]):
        assert dialog.get_by_text(line).is_visible()
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="hidden")


def test_the_address_opens_a_pair_and_going_back_closes_it(visit):
    page = visit("pairs", at="#pair-12")
    row = pairs()["pairs"][12]
    assert page.locator("#detail-title bdi").all_text_contents() == [row["cause"], row["effect"]]
    # Its points stand for 1 to 5 rows each, drawn in three sizes in each of the two panels.
    assert page.locator("dialog path.dots").count() == 6
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.locator("#pair-table tbody button").first.click()
    page.get_by_role("dialog").wait_for()
    page.go_back()
    page.get_by_role("dialog").wait_for(state="hidden")


def test_what_the_library_computes_is_shown(visit):
    page = visit("computed pairs")
    assert page.locator(ROWS).count() == 3
    page.locator("#pair-table tbody button").first.click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    assert dialog.locator("path.curve").count() >= 4
    assert dialog.locator("path.dots").count() > 0
    page = visit("computed graph")
    assert page.locator(".edge").count() == 3
    page.locator("#bar").focus()
    page.keyboard.press("End")
    assert page.locator(".edge[data-state='open']").count() == 3


def test_one_pair_alone_is_open_from_the_start(visit):
    page = visit("single")
    assert page.locator("#only-pictures figure").count() == 2
    assert page.locator("#only-detail figure").count() == 1
    assert page.locator("#pair-table").is_hidden()


def test_5000_pairs_are_sorted_and_filtered_at_once(visit):
    page = visit("many")
    took = page.evaluate(
        """() => {
            const box = document.getElementById("filter-text");
            const times = ["wage", "age", "income"].map((name) => {
                const start = performance.now();
                document.querySelector("th[data-key=confidence] button").click();
                box.value = name;
                box.dispatchEvent(new Event("input"));
                document.body.getBoundingClientRect();
                return performance.now() - start;
            });
            return Math.min(...times);
        }"""
    )
    assert took < 500
    page.get_by_role("button", name="Next").click()
    assert page.locator("#leaves").inner_text().split("\n")[1].startswith("Page 2 of")
    assert page.locator(ROWS).count() == 50


def test_the_slider_opens_edges_and_closes_them_again(visit):
    page = visit("graph")
    edges = graph()["edges"]
    can_open = sum(len(edge["states"]) == 2 for edge in edges)
    slider, still_open = page.locator("#bar"), page.locator(".edge[data-state='open']")
    assert still_open.count() == 0
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert still_open.count() == 3
    assert "3 are open" in slider.get_attribute("aria-valuetext")
    assert still_open.first.locator(".tip").get_attribute("d") == ""
    page.keyboard.press("End")
    assert still_open.count() == can_open
    assert page.locator("#edge-table tbody").inner_text().count("abstained") == can_open
    page.keyboard.press("Home")
    assert still_open.count() == 0


def test_an_edge_tells_its_reason_and_leads_to_its_pair(visit):
    page = visit("graph")
    page.locator(".edge[data-edge='4']").focus()
    page.keyboard.press("Enter")
    told = page.locator("#edge-detail")
    state = graph()["edges"][4]["states"][0]
    assert state["reason"] in told.inner_text()
    assert state["outcome"] in told.inner_text()
    page.locator(".edge[data-edge='1'] .hit").click(force=True)
    assert graph()["edges"][1]["states"][0]["reason"] in told.inner_text()
    page.locator("#edge-table tbody button").nth(3).click()
    assert page.locator(".edge.chosen").get_attribute("data-edge") == "3"
    told.get_by_role("link", name="See the pair").click()
    page.get_by_role("dialog").wait_for()


def test_the_graph_is_moved_by_pointer_wheel_buttons_and_keys(visit):
    page = visit("graph")
    drawing = page.locator(".canvas svg")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    views = [drawing.get_attribute("viewBox")]

    def moved() -> bool:
        views.append(drawing.get_attribute("viewBox"))
        return views[-1] != views[-2]

    page.mouse.move(box["x"] + 8, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 70, box["y"] + 230, steps=3)
    page.mouse.up()
    assert moved()
    page.mouse.click(box["x"] + 8, box["y"] + 200)
    page.mouse.wheel(0, -300)
    page.wait_for_function(
        "view => document.querySelector('.canvas svg').getAttribute('viewBox') !== view",
        arg=views[-1],
    )
    assert moved()
    page.get_by_role("button", name="Zoom out").click()
    assert moved()
    page.locator(".canvas").focus()
    page.keyboard.press("ArrowLeft")
    assert moved()
    page.keyboard.press("0")
    assert moved()
    assert views[-1] == views[0]
    node = page.locator(".node").first
    before = node.get_attribute("transform")
    node.hover()
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 150, steps=3)
    page.mouse.up()
    assert node.get_attribute("transform") != before
    assert drawing.get_attribute("viewBox") == views[0]


def test_a_method_is_taken_off_the_curves_and_another_data_set_chosen(visit):
    page = visit("benchmark")
    curves = page.locator("#curves path.curve")
    assert curves.count() == 10
    page.get_by_role("checkbox", name="igci").uncheck()
    assert curves.count() == 8
    assert page.locator("#curves path[data-series='igci']").count() == 0
    before = curves.first.get_attribute("d")
    page.get_by_label("Curves on", exact=True).select_option("Tue")
    assert curves.count() == 8
    assert curves.first.get_attribute("d") != before


def test_claimed_probabilities_are_drawn_where_there_are_any(visit):
    page = visit("benchmark")
    assert page.locator("#curves figure").count() == 2
    page.get_by_label("Curves on", exact=True).select_option("SIM")
    assert page.locator("#curves figure").count() == 3
    assert page.locator("#curves path.curve").count() == 11
    cells = page.locator("#calibration tbody tr").first.locator("td")
    assert cells.all_text_contents() == ["SIM", "97", "72 %", "74 %", "4.3 %", "6.8 %", "88 %"]


def test_the_matrix_shows_the_figure_asked_for(visit):
    page = visit("benchmark")
    cells = page.locator("#matrix tbody tr").first.locator("td")
    assert cells.nth(0).text_content().startswith("85 %")
    page.get_by_role("button", name="Area under ROC").click()
    assert cells.nth(0).text_content().startswith("93 %")
    page.get_by_role("button", name="Weighted accuracy").click()
    assert cells.nth(0).text_content() == "–"  # noqa: RUF001
    page.get_by_text("3 pairs without an answer").click()
    assert page.get_by_text("failed: singular matrix <i>").first.is_visible()


def test_colours_follow_the_system_and_the_button(visit):
    page = visit("pairs", color_scheme="dark")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(19, 21, 23)"
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(ground) == "rgb(251, 251, 250)"
    page.reload()
    assert page.evaluate(ground) == "rgb(251, 251, 250)"


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_never_scrolls_the_page_sideways(visit, kind):
    page = visit(kind, **PHONE)
    width = "() => [document.documentElement.scrollWidth, window.innerWidth]"
    assert page.evaluate(width) == [375, 375]
    if kind == "pairs":
        page.locator("#pair-table tbody button").nth(3).click()
        overflow = "dialog => dialog.scrollWidth - dialog.clientWidth"
        assert page.get_by_role("dialog").evaluate(overflow) == 0


def test_the_answer_is_copied(visit):
    page = visit("pairs", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the answer").click()
    page.get_by_role("button", name="Copy the answer").get_by_text("Copied").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied == pairs()["answer"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_prints_all_its_parts_and_no_controls(visit, kind):
    page = visit(kind, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert page.locator("#theme").is_hidden()
    assert page.locator("#filters").count() == 0 or page.locator("#filters").is_hidden()
    assert page.get_by_text("How to cite").is_visible()
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = "
        f"document.querySelectorAll('{ROWS}').length; }})"
    )
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 10_000
    if kind == "pairs":
        assert page.evaluate("() => window.printed") == 60
        page.locator(ROWS).nth(50).wait_for(state="detached")


def test_the_pair_that_is_open_is_what_is_printed(visit):
    page = visit("pairs", at="#pair-12")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".sheet figure").count() == 3
    assert page.locator(".sheet .said").is_visible()
    assert page.locator("main").is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("main").is_visible()
    assert page.locator(".sheet").count() == 0


def serious_faults(page, **options) -> list[tuple[str, list]]:
    options["resultTypes"] = ["violations"]
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ModuleNotFoundError:
        without("the package axe-playwright-python is not installed")
    return [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3])
        for fault in Axe().run(page, options=options).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("kind", ["pairs", "graph", "benchmark"])
def test_axe_finds_no_serious_fault_in_light_or_dark(visit, kind):
    page = visit(kind, color_scheme="light")
    if kind == "pairs":
        page.get_by_label("Name contains").fill("income")
        page.locator("th[data-key='confidence'] button").click()
    if kind == "graph":
        page.locator("#edge-table tbody button").first.click()
    if kind == "benchmark":
        page.locator("#failures summary").click()
    assert serious_faults(page) == []
    if kind == "pairs":
        page.locator("#pair-table tbody button").first.click()
        page.get_by_role("dialog").wait_for()
        assert serious_faults(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
    # What else axe looks at does not depend on colours.
    page.emulate_media(color_scheme="dark")
    assert serious_faults(page, runOnly=["color-contrast"]) == []
