"""The questions that lessons stop at, as their chapters ask them."""

from ui.chapters import contents
from ui.figures.number import number
from ui.page.predict import Choice, Quantity, worded
from ui.settings.lessons import Stop
from ui.text import Words


def question_of(stop: Stop) -> Choice | Quantity:
    """KeyError where its chapter does not ask it."""
    of = contents(stop.chapter)
    question = {question.name: question for question in of.questions}[stop.question]
    return question.of(of.settings.from_query(stop.settings))


def answers(stop: Stop, lang: str) -> str:
    """The question with what is expected and what wrong replies show, all in the words of its chapter."""
    question, say, here = question_of(stop), Words(stop.chapter, lang), Words("teachers", lang)
    name = question.name
    if isinstance(question, Choice):
        right = say(f"{name}.option.{question.right}")
        others = [one for one in question.options if one != question.right]
        wrong = [(say(f"{name}.option.{one}"), say(f"{name}.wrong.{one}")) for one in others]
    else:
        right = number(question.right)
        wrong = [(number(value), say(slip)) for slip, value in question.slips.items()]
        wrong.append((here("answers.other"), say(f"{name}.wrong")))
    lines = [f"**{worded(say, question)}**", "", here("answers.right"), "", f"- **{right}** · {say(f'{name}.right')}"]
    lines += ["", here("answers.wrong"), "", *(f"- **{reply}** · {text}" for reply, text in wrong)]
    return "\n".join(lines)
