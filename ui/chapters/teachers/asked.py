"""The questions that lessons stop at, as their chapters ask them."""

from ui.chapters import contents
from ui.sections import Choice, Frame, Quantity
from ui.settings.lessons import LessonStop
from ui.text import Words


def question_of(stop: LessonStop) -> Choice | Quantity:
    """KeyError where its chapter does not ask it."""
    of = contents(stop.chapter)
    question = {question.name: question for question in of.questions}[stop.question]
    return question.of(of.settings.from_query(stop.settings), Frame.from_query(stop.settings))


def answers(stop: LessonStop, lang: str) -> str:
    """The question with what is expected and what wrong replies show, all in the words of its chapter."""
    question, say, here = question_of(stop), Words(stop.chapter, lang), Words("teachers", lang)

    def told(reply: str) -> str:
        return f"- **{question.label(say, reply)}** · {say(question.reason(reply))}"

    right = question.right_reply
    lines = [f"**{question.text(say, 'question')}**", "", here("answers.right"), "", told(right)]
    lines += ["", here("answers.wrong"), "", *(told(reply) for reply in question.replies if reply != right)]
    return "\n".join(lines)
