"""What a reader sees first: pictures before words, on a screen, on a phone and by touch."""

from __future__ import annotations

import json
import re

import pytest

from bqcd.methods.answers import BARS
from bqcd.show.pages.rendering import part
from bqcd.show.pages.wording import probability_text
from tests.show.pages.browser.test_pages import ROWS, serious_faults

pytestmark = pytest.mark.xdist_group("browser")

SCREEN = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CLIPPED = """() => [...document.querySelectorAll("main *, footer *")].filter((node) => {
    const box = node.getBoundingClientRect();
    const inside = node.closest(".pane, .graph-pane, pre, .unseen, svg, thead");
    return !inside && box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
}).map((node) => `${node.tagName} ${node.className} ${node.textContent.slice(0, 40)}`)"""
HIDDEN_SIDEWAYS = """() => [...document.querySelectorAll(".scroll")].filter((box) =>
    box.clientWidth && box.scrollWidth > box.clientWidth + 1 && !box.classList.contains("pane")
).map((box) => box.getAttribute("aria-label"))"""
BROKEN_ARROWS = """() => [...document.querySelectorAll(".arrow")].filter((arrow) => {
    if (!arrow.getClientRects().length) return false;
    const [first, mark, second] = ["bdi", ".mark", "bdi:last-child"].map((one) =>
        arrow.querySelector(one).getBoundingClientRect());
    return mark.left < first.right - 1 || second.left < mark.right - 1;
}).length"""


def test_the_front_page_pictures_the_best_supported_pairs_with_curves(visit):
    page = visit("pairs", **SCREEN)
    pictures = page.locator("#best-pairs > li")
    assert pictures.count() == 3
    assert page.locator("#best-pairs svg path.curve").count() == 9
    last = pictures.last.bounding_box()
    assert last["y"] + last["height"] < 900
    pictures.nth(1).locator("a").click()
    page.get_by_role("dialog").wait_for()


@pytest.mark.parametrize(("kind", "at"), [("single", ""), ("pairs", "#pair-2")])
def test_verdict_and_both_scatter_plots_are_on_the_first_screen(visit, kind, at):
    page = visit(kind, at=at, **SCREEN)
    inside = page.locator("dialog" if at else "main")
    for found in (
        inside.locator(".verdict").first,
        *inside.locator(".panels figure svg").all()[:2],
    ):
        box = found.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900


def test_the_voices_of_the_panel_are_a_strip(visit):
    page = visit("pairs", at="#pair-2", **SCREEN)
    strip = page.locator("dialog .voices")
    assert strip.locator("text.label").all_text_contents() == ["relation", "scales", "margins"]
    assert strip.locator("circle").count() == 12
    bars = [float(bar.get_attribute("width")) for bar in strip.locator(".voice-bar").all()]
    # From one half: .8, .7 and .3.
    assert bars[0] == pytest.approx(1.5 * bars[1])
    assert bars[1] == pytest.approx(bars[2])


def test_a_cell_of_the_matrix_opens_its_pair_and_tells_of_it(visit):
    page = visit("computed pairs", **SCREEN)
    cell = page.locator("#answers .pane")
    cell.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    told = page.locator("#answers-told")
    assert re.search("clear|leaning|cannot tell", told.inner_text())
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    title = set(page.locator("#detail-title bdi").all_text_contents())
    assert title == set(told.locator("bdi").all_text_contents())


def test_the_shades_of_the_matrix_are_explained_beside_it(visit):
    page = visit("computed pairs", **SCREEN)
    words = page.locator("#answers .swatches li").all_inner_texts()
    assert words == ["clear, from 90 %", f"clear, from {BARS.clear:.0%}".replace("%", " %"),
                     "leaning", "cannot tell"]  # fmt: skip
    legend, pane = (
        page.locator(f"#answers {one}").bounding_box() for one in (".swatches", ".pane")
    )
    assert legend["x"] > pane["x"] + pane["width"]


def test_names_beside_the_matrix_are_whole(visit):
    page = visit("pairs", **SCREEN)
    cut = """() => { const box = document.querySelector("#answers svg").getBoundingClientRect();
        const texts = [...document.querySelectorAll("#answers svg text")];
        return [texts.length, texts.filter((text) => { const at = text.getBoundingClientRect();
            return at.left < box.left || at.top < box.top; }).length]; }"""
    names, outside = page.evaluate(cut)
    assert names > 0
    assert outside == 0


def test_a_graph_is_drawn_before_what_is_worth_knowing_of_it(visit):
    page = visit("graph", **SCREEN)
    drawn, notes = (page.locator(one).bounding_box() for one in ("#graph-view", ".notes"))
    assert drawn["y"] < SCREEN["viewport"]["height"] / 2
    assert drawn["y"] + drawn["height"] <= notes["y"]


def test_a_matrix_of_200_columns_is_drawn_at_once_and_can_be_walked(visit):
    page = visit("wide", **SCREEN)
    took = page.evaluate(
        """() => { const start = performance.now();
            document.getElementById("answers-order").value = "causes";
            document.getElementById("answers-order").dispatchEvent(new Event("change"));
            document.querySelector("#answers svg").getBoundingClientRect();
            return performance.now() - start; }"""
    )
    assert took < 2000
    assert page.locator("#answers svg path").count() == 7
    page.get_by_role("button", name="Larger").click()
    page.locator("#answers .pane").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert page.locator("#answers-told bdi").count() == 2


def test_every_column_is_shown_with_its_histogram_and_alerts(visit):
    page = visit("pairs", **SCREEN)
    assert page.locator("#columns .cards > li").count() == 16
    assert page.locator("#columns .histogram rect").count() == 16 * 24
    alerts = page.locator("#columns .badge.alert")
    assert alerts.all_text_contents()[:3] == ["constant", "identifier", "derived"]
    alerts.first.click()
    assert page.locator("#tip").inner_text() == "What constant means."


def test_pairs_are_grouped_by_answer_until_they_are_sorted_otherwise(visit):
    page = visit("computed pairs", **SCREEN)
    heads = page.locator("#pair-table tr.group")
    assert heads.count() >= 1
    assert re.fullmatch(r"(Clear|Leaning|Cannot tell): \d+ pairs?", heads.first.inner_text())
    page.locator("th[data-key='dependence'] button").click()
    assert heads.count() == 0


def test_bars_mean_the_same_in_every_report(visit):
    page = visit("pairs", **SCREEN)
    row = page.locator(ROWS).first
    pairs = json.loads(page.locator("#report").text_content())["pairs"]
    share = next(p["probability"] for p in pairs if str(p["id"]) == row.get_attribute("data-pair"))
    number = row.locator("[data-label='Probability'] .number").inner_text()
    assert number == probability_text(share)
    width = float(row.locator(".meter rect").nth(1).get_attribute("width"))
    assert width == pytest.approx(200 * (share - 0.5), abs=0.1)
    marks = re.search(r"const BARS = \[([\d., ]+)\]", part("scripts", "wording.js"))[1]
    assert [float(mark) for mark in marks.split(",")] == [BARS.leaning, BARS.clear]


@pytest.mark.parametrize("kind", ["plain", "changed", "single", "graph"])
def test_nothing_is_clipped_and_no_arrow_breaks_on_a_screen_or_a_phone(visit, kind):
    for size in (SCREEN, PHONE):
        page = visit(kind, **size)
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(BROKEN_ARROWS) == 0
        assert page.evaluate(HIDDEN_SIDEWAYS) == []


def test_a_phone_gets_cards_with_all_numbers(visit):
    page = visit("plain", **PHONE)
    card = page.locator(ROWS).first
    assert card.evaluate("row => getComputedStyle(row).display") == "grid"
    shown = [cell for cell in card.locator("td").all() if cell.is_visible()]
    assert len(shown) >= 6
    label = "cell => getComputedStyle(cell, '::before').content"
    assert shown[0].evaluate(label) == '"Probability"'
    # The names stand above the numbers, and the head of the group says the answer.
    edges = [part.bounding_box()["x"] for part in (card.locator("th"), shown[0])]
    assert edges[0] == pytest.approx(edges[1], abs=0.5)
    assert not card.locator("[data-label='Answer']").is_visible()
    page.get_by_label("Sort by").select_option("dependence")
    assert card.locator("[data-label='Answer']").is_visible()
    found = page.locator(f"{ROWS} [data-label='Dependence']").all_inner_texts()
    numbers = [float(text) for text in found if text[0].isdigit()]
    assert numbers == sorted(numbers, reverse=True)


def test_what_a_head_means_is_told_by_touch(visit):
    page = visit("pairs", viewport={"width": 1024, "height": 800}, has_touch=True)
    page.locator("th[data-key='probability'] button").tap()
    assert "from 50 to 100 %" in page.locator("#tip").inner_text()
    page.locator("#meanings summary").tap()
    assert page.locator("#meanings dd").first.is_visible()


def test_labels_of_a_dense_graph_are_legible_on_a_phone(visit):
    page = visit("dense", **PHONE)
    heights = page.locator(".node text").evaluate_all(
        "texts => texts.map((text) => 13 * text.getScreenCTM().a)"
    )
    assert min(heights) >= 11
    assert page.locator(".graph-pane").evaluate("pane => pane.scrollWidth > pane.clientWidth")


def test_no_edge_of_a_dense_graph_passes_behind_a_box_on_the_page(visit):
    page = visit("dense", **SCREEN)
    crossed = page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".node")].map((node) => {
                const { x, y, width, height } = node.querySelector("rect").getBBox();
                const [dx, dy] = node.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
                const [left, top] = [x + dx + 2, y + dy + 2];
                return { left, top, right: left + width - 4, bottom: top + height - 4 };
            });
            let found = 0;
            for (const shaft of document.querySelectorAll(".edge .shaft")) {
                const length = shaft.getTotalLength();
                for (let at = 4; at < length - 4; at += 3) {
                    const { x, y } = shaft.getPointAtLength(at);
                    found += boxes.some(({ left, top, right, bottom }) =>
                        x > left && x < right && y > top && y < bottom);
                }
            }
            return found;
        }"""
    )
    assert crossed == 0


def test_a_graph_has_one_table_which_leads_to_its_pairs(visit):
    page = visit("graph", **SCREEN)
    assert page.locator("main table:visible").count() == 1
    assert page.locator("#edge-table thead th").all_text_contents() == [
        "Edge", "Outcome", "Pair alone", "Probability", "Confidence", "Why",
    ]  # fmt: skip
    page.locator("#edge-table tbody a").first.click()
    page.get_by_role("dialog").wait_for()


def test_no_number_is_told_in_powers_of_ten(visit):
    page = visit("computed pairs", **SCREEN)
    for row in page.locator(ROWS).all():
        row.locator("button").first.click()
        page.get_by_role("dialog").wait_for()
        words = page.locator("dialog").evaluate(
            "dialog => [...dialog.querySelectorAll('p, li, dd')].map((one) => one.textContent)"
        )
        assert not [line for line in words if re.search(r"\de-\d\d", line)]
        page.keyboard.press("Escape")


def test_axe_finds_no_serious_fault_on_a_phone(visit):
    page = visit("changed", **PHONE)
    assert serious_faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_faults(page, runOnly=["color-contrast"]) == []


# Lines of a name, by the place of each of its letters.
LINES = """(node) => {
    const lines = new Map(), range = document.createRange();
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        for (let at = 0; at < walker.currentNode.length; at += 1) {
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + 1);
            const top = Math.round(range.getBoundingClientRect().top);
            lines.set(top, (lines.get(top) ?? "") + range.toString());
        }
    }
    return [...lines.values()];
}"""


@pytest.mark.parametrize("width", [390, 560, 768, 1280])
def test_names_break_where_their_parts_meet(visit, width):
    page = visit("measured", viewport={"width": width, "height": 900})
    names = page.locator("#best-pairs .name").all()
    assert len(names) == 6
    for name in names:
        assert all(line.endswith("_") for line in name.evaluate(LINES)[:-1])


@pytest.mark.parametrize("size", [SCREEN, PHONE])
def test_arrows_of_sentences_stay_in_one_piece(visit, size):
    page = visit("reasoned", **size)
    arrows = page.locator("main .one", has_text="->")
    told = page.locator("#edge-table td.text").all_text_contents()
    assert arrows.count() >= sum(text.count("->") for text in told) > 0
    torn = """() => [...Array(17).keys()].flatMap((at) => {
        document.querySelector("main").style.width = `${200 + 7 * at}px`;
        const arrows = [...document.querySelectorAll("main .one")];
        return arrows.filter((one) => one.getClientRects().length > 1);
    }).length"""
    assert page.evaluate(torn) == 0


def test_names_of_a_table_stay_in_one_line_on_a_screen(visit):
    for name in visit("measured", **SCREEN).locator("#pair-table .name").all()[:10]:
        assert len(name.evaluate(LINES)) == 1


@pytest.mark.parametrize("width", [390, 768])
def test_labels_of_cards_do_not_break_inside_a_word(visit, width):
    page = visit("pairs", viewport={"width": width, "height": 900})
    cell = page.locator("#pair-table td[data-label='p (independence)']").first
    wide = page.evaluate(
        """([family]) => { const pen = document.createElement("canvas").getContext("2d");
            pen.font = `12px ${family}`; return pen.measureText("(independence)").width; }""",
        [cell.evaluate("(node) => getComputedStyle(node).fontFamily")],
    )
    style = cell.evaluate("(node) => getComputedStyle(node, '::before').overflowWrap")
    assert style == "normal"
    assert wide <= cell.bounding_box()["width"]


def test_the_paragraph_of_a_pair_stands_apart_from_its_pictures(visit):
    page = visit("pairs", at="#pair-2", **SCREEN)
    note = page.locator("dialog .panels + .small").first.bounding_box()
    said = page.locator("dialog .said").bounding_box()
    assert said["y"] - (note["y"] + note["height"]) >= 8


def test_years_at_an_axis_are_written_as_years(visit):
    page = visit("years", **SCREEN)
    told = page.locator("figure svg text").all_text_contents()
    assert {"2000", "20,000"} <= set(told)
