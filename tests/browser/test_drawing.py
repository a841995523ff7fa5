"""A drawing that the server sends is drawn, and nothing in it runs."""

from tests.browser.conftest import Tab
from ui.script import ASSETS, script

MARKUP = """
<svg viewBox="0 0 8 8" onload="window.ran = 1"><script>window.ran = 2</script><style>p { color: red }</style>
<a href="javascript:window.ran = 3" xlink:href="http://127.0.0.1/">link</a>
<text class="token" data-at="1" x="2">a &lt; b</text>
<image href="none.png" onerror="window.ran = 4"/><use href="#part"/></svg>
<b>and words</b><img src="none" onerror="ran = 5">"""


def test_of_a_drawing_what_would_run_or_lead_away_is_left_out(tab: Tab) -> None:
    page = tab.page
    page.goto("about:blank")
    draw = (
        f"(markup) => {{ {script(ASSETS / 'drawing.js')}\n draw(document.body, markup); return window.ran ?? null; }}"
    )
    assert page.evaluate(draw, MARKUP) is None
    assert page.locator("script, style").count() == 0
    names = page.locator("body *").evaluate_all("parts => parts.flatMap((part) => part.getAttributeNames())")
    assert sorted({*names}) == ["class", "data-at", "href", "viewBox", "x"]
    assert page.locator("use").get_attribute("href") == "#part"
    assert page.locator("text.token").text_content() == "a < b"
    assert page.locator("svg").evaluate("svg => svg instanceof SVGSVGElement && svg.viewBox.baseVal.width") == 8
