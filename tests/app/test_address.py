"""The address is the state: links, what a lesson hides, and what the page writes back."""

from urllib.parse import parse_qs, urlsplit

from tests.app.conftest import Open


def test_moving_a_control_writes_the_link(open_link: Open) -> None:
    app = open_link("loss")
    app.slider(key="loss:vocabulary").set_value(8).run()
    assert dict(app.query_params) == {"vocabulary": "8"}


def test_a_setting_at_its_default_is_not_in_the_link(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8")
    app.slider(key="loss:vocabulary").set_value(5).run()
    assert dict(app.query_params) == {}


def test_a_lesson_hides_controls_and_keeps_what_they_set(open_link: Open) -> None:
    app = open_link("loss", hide="vocabulary,targets", vocabulary="4", targets="3 2 0")
    assert "loss:vocabulary" not in {slider.key for slider in app.slider}
    assert "loss:targets" not in {field.key for field in app.text_input}
    app.slider(key="loss:smoothing").set_value(0.2).run()
    assert dict(app.query_params) == {
        "hide": "vocabulary,targets",
        "vocabulary": "4",
        "targets": "3 2 0",
        "smoothing": "0.2",
    }


def test_hiding_what_does_not_exist_does_no_harm(open_link: Open) -> None:
    assert not open_link("loss", hide=",,nothing,<b>").exception


def test_the_link_under_a_figure_is_the_link_of_the_page(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8", lang="en")
    app.button_group(key="loss.smoothing.caption").set_value("link").run()
    (shown,) = [block.value for block in app.code if "vocabulary" in block.value]
    assert parse_qs(urlsplit(shown).query) == {"vocabulary": ["8"], "lang": ["en"]}


def test_the_readers_sequence_follows_into_the_next_chapter(open_link: Open) -> None:
    app = open_link("decoding", src="1 7 7 2")
    app.switch_page("pages/loss.py")
    app.query_params["src"] = "1 7 7 2"
    app.run()
    assert app.text_input(key="frame:src").value == "1 7 7 2"


def test_a_control_moved_before_the_last_link_arrived_is_not_lost(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8")
    app.slider(key="loss:vocabulary").set_value(9).run()
    app.query_params["vocabulary"] = "8"  # the browser has not yet been told of the 9
    app.slider(key="loss:smoothing").set_value(0.2).run()
    assert app.slider(key="loss:vocabulary").value == 9
    assert dict(app.query_params) == {"vocabulary": "9", "smoothing": "0.2"}


def test_an_older_link_with_no_control_moved_is_the_back_button(open_link: Open) -> None:
    app = open_link("loss", vocabulary="8")
    app.slider(key="loss:vocabulary").set_value(9).run()
    app.query_params["vocabulary"] = "8"
    app.run()
    assert app.slider(key="loss:vocabulary").value == 8
