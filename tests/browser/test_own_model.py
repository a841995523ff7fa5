"""A model goes out of the app as a file and comes back into it, in a browser: what is saved is what is shown."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import AGES, PATIENCE, saying, settle
from transformer_core.training.checkpoint import load
from ui.text import Words

SMALL = "/training?task=copy&d_model=8&h=2&batch=4&steps=20&vocab=12&open=own"
say = Words("training", "en")


def give(page: Page, file: Path) -> None:
    page.locator("input[type=file]").set_input_files(file)


def test_a_saved_model_comes_back_and_is_shown_by_all_chapters_to_its_reader_alone(
    open_page: Callable[..., Page], browser: Browser, tmp_path: Path
) -> None:
    page = open_page(SMALL, lang="en")
    page.get_by_role("button", name="Train", exact=True).click()
    save = page.get_by_role("button", name=say("save", step=20))
    expect(save).to_be_visible(timeout=AGES)
    settle(page)
    with page.expect_download() as download:
        save.click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert load(file).step == 20

    menu = page.get_by_test_id("stSidebar")
    give(page, file)
    expect(menu).to_contain_text(f"{file.name}: N = 1 (layers), d_model = 8, h = 2", timeout=AGES)
    expect(page).to_have_url(saying("model=own"))

    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(file.read_bytes()[:-200])
    settle(page)
    give(page, broken)
    refusal = re.sub("`", "", say("own.refused.damaged"))
    expect(page.get_by_text(refusal)).to_be_visible(timeout=AGES)
    expect(menu).to_contain_text(f"{file.name}: N = 1")

    settle(page)
    page.get_by_role("link", name="All heads").click()
    expect(page.locator(".provenance").first).to_contain_text(f"{file.name} · step 20", timeout=AGES)
    settle(page)
    page.reload()
    expect(menu).to_contain_text(f"{file.name}: N = 1", timeout=AGES)
    settle(page)

    other = browser.new_context().new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(page.url)
    said = Words("shell", "en")("model_missing.not_here")
    expect(other.get_by_test_id("stSidebar").get_by_text(said)).to_be_visible(timeout=AGES)
    settle(other)
    other.context.close()


def test_a_file_that_is_too_large_is_not_sent_and_a_sentence_says_so(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page(SMALL, lang="zh")
    large = tmp_path / "large.pt"
    large.write_bytes(bytes(9 * 2**20))
    give(page, large)
    page.wait_for_function(
        "said => getComputedStyle(document.querySelector('.stFileUploader'), '::after').content.includes(said)",
        arg=Words("training", "zh")("own.too_large", most=8),
    )
    small = tmp_path / "small.pt"
    small.write_bytes(b"hello")
    give(page, small)  # of which nothing is said but what is wrong with it
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.stFileUploader'), '::after').content === 'none'"
    )
    settle(page)


NOT_YET = """
import streamlit as st
from ui.frame.style import apply_style, say_within

def never():
    raise TimeoutError

apply_style()
say_within(".stDownloadButton", {"not_yet": "请稍后再点一次“保存”。"})
st.download_button("save", never, "model.safetensors", on_click="ignore", type="tertiary")
"""


def test_a_file_that_is_not_there_yet_is_said_in_the_pages_words(
    serve: Callable[[str], str], browser: Browser, tmp_path: Path
) -> None:
    script = tmp_path / "not_yet.py"
    script.write_text(NOT_YET, encoding="utf-8")
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(serve(str(script)))
    settle(page)
    page.get_by_role("button", name="save").click()
    page.get_by_test_id("stDownloadButtonError").wait_for()
    size, said = page.evaluate(
        """() => {
          const there = document.querySelector('[data-testid="stDownloadButtonError"]');
          return [getComputedStyle(there).fontSize, getComputedStyle(there, '::after').content];
        }"""
    )
    assert size == "0px"  # of Streamlit's own words
    assert said == '"请稍后再点一次“保存”。"'
    page.close()
