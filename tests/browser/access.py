"""What keeps a page from who sees less, hears it or has no mouse: what axe-core finds, and more."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.browser.driver import settle
from ui.text import Words

UNMOVED = "() => document.getAnimations().every(({ playState }) => playState !== 'running')"  # no colour on its way
# A map that plays fades words in at any moment: while it is looked at nothing is between two colours.
_HOLD = """() => {
  const sheet = document.head.appendChild(document.createElement("style"));
  sheet.id = "at-once";
  sheet.textContent = "*, *::before, *::after { transition: none !important }";
}"""
_LET_GO = "() => document.getElementById('at-once').remove()"

_RUN = """async (options) => (await axe.run(document, options)).violations.flatMap(({ id, impact, nodes }) =>
  nodes.map(({ target, html }) => [id, impact, target.join(" "), html.slice(0, 160)]))"""

# Of every text that is seen: what it is written with over what lies below it, as painted. axe leaves out what may be
# covered, as the lower end of the menu, and what stands in a drawing.
_CONTRAST = """() => {
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (layers) => {
    brush.clearRect(0, 0, 1, 1);
    for (const [color, opacity] of layers) {
      brush.globalAlpha = opacity;
      brush.fillStyle = color;
      brush.fillRect(0, 0, 1, 1);
    }
    const linear = (part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const UNREAD = "script, style, [aria-hidden=true], :disabled, [aria-disabled=true], .katex, .js-plotly-plot, "
    + "[data-testid=stSliderThumbValue]"; // above the thumb that it is a part of
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!/[\\p{L}\\p{N}]/u.test(text) || element.closest(UNREAD)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const papers = [];
    let opacity = 1;
    for (let part = element; part; part = part.parentElement) {
      const { backgroundColor, opacity: own } = getComputedStyle(part);
      opacity *= own;
      papers.unshift([backgroundColor, 1]);
    }
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [below, above] = [painted([["#fff", 1], ...papers]), painted([["#fff", 1], ...papers, [ink, opacity]])];
    const contrast = (Math.max(below, above) + 0.05) / (Math.min(below, above) + 0.05);
    const large = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.67 : 24);
    if (contrast < (large ? 3 : 4.5))
      found[`contrast ${contrast.toFixed(2)}: ${element.tagName} ${element.getAttribute("class")}`] = text.slice(0, 40);
  }
  return Object.entries(found).map((each) => each.join(": "));
}"""


# A text that is of another language than the element it stands in says: a Chinese one on any page, and a token of
# letters on a Chinese one. Programs and formulas are of no language.
_TONGUE = """() => {
  const SYMBOL = /⟨[^⟩]*⟩/g;
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.replace(SYMBOL, "").trim();
    const element = walker.currentNode.parentElement;
    if (element.closest("script, style, pre, code, math, .katex")) continue;
    const said = element.closest("[lang]").getAttribute("lang");
    const token = element.closest(".token, .word, .given") && /[A-Za-z]{2}/.test(text);
    const is = /[\u3400-\u9fff]/.test(text) ? "zh" : token ? "en" : said;
    if (is !== said) found.add(`said to be ${said}: ${element.tagName} ${element.getAttribute("class")}: ${text}`);
  }
  return [...found];
}"""


def faults(page: Page, *rules: str) -> list[str]:
    """What is wrong with the page as it stands: what axe finds by all rules of WCAG 2.1 A and AA and of good practice,
    or by those named; texts too pale to be read; texts that are said to be of another language.

    What is still fading in or out is not what it is about to be.
    """
    page.wait_for_function(UNMOVED)
    page.evaluate(_HOLD)
    try:
        return _faults(page, rules)
    finally:
        page.evaluate(_LET_GO)


def _faults(page: Page, rules: tuple[str, ...]) -> list[str]:
    found = [f"{rule} ({impact}) {selector}: {html}" for rule, impact, selector, html in _axe(page, rules)]
    return [f"{page.url}: {fault}" for fault in (*found, *page.evaluate(_CONTRAST), *page.evaluate(_TONGUE))]


# What has the focus: the figure itself, or a part of it that keys reach
_REACHED = """() => Boolean(document.activeElement.closest(
  '.story-stage, .matrix-base, .figure-one .block, .lines .token, .tree .token, .stEChartsChart'))"""


def first_link_leads_to_the_figure(page: Page, lang: str) -> None:
    """With the keyboard alone, on a page that was just loaded."""
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text(Words("shell", lang)("page.skip"))
    skip_leads_to_the_figure(page, lang)


def skip_leads_to_the_figure(page: Page, lang: str) -> None:
    page.get_by_role("link", name=Words("shell", lang)("page.skip"), exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".stMain :focus")).to_be_in_viewport()
    tabs = 0
    while not page.evaluate(_REACHED) and tabs < 6:
        page.keyboard.press("Tab")
        tabs += 1
    assert tabs <= 1


def in_the_other_theme(page: Page, theme: Literal["light", "dark"]) -> list[str]:
    """What is wrong with its colours there; the page stays in that theme."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        "theme => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme", arg=theme
    )
    settle(page)
    return faults(page, "color-contrast")


def _axe(page: Page, rules: tuple[str, ...]) -> list[list[str]]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = {
        "resultTypes": ["violations"],
        "rules": {"label-content-name-mismatch": {"enabled": True}},  # off by itself, for it is young
    }
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found: list[list[str]] = page.evaluate(_RUN, options)
    return found
