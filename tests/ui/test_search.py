"""The search finds what is meant, in both languages, whatever is typed."""

import gzip
import json
import re
from collections.abc import Iterator

import pytest

from tests.javascript import Ask, asking
from ui.chapters import contents
from ui.frame.search import KINDS, SAID, entries, found, sections, synonyms
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS
from ui.settings.questions import ASKED
from ui.text import LANGUAGES, TERMS, Words, load

MOST = 12
QUESTION = {one.name: one for one in ASKED}

# What is typed -> what is found first: a question by its name, a term, a chapter, or a section of one
FIRST = {
    "en": {
        "why not one big head": "question one_head",
        "multiple heads": "question one_head",
        "is attention an explanation": "question explanation",
        "explanation": "question explanation",
        "future in training": "question future",
        "causal mask": "question future",
        "why divide by sqrt(d_k)": "question root_d_k",
        "√d_k": "section scaling.size",
        "√d_model": "question root_d_model",
        "hallucination": "question nonsense",
        "kv cache": "question cache",
        "skip connection": "question residual",
        "BatchNorm": "question layer_norm",
        "LSTM": "question recurrent",
        "exposure bias": "question exposure_bias",
        "query key value": "question qkv",
        "backpropagation": "question error",
        "token": "term token",
        "softmax": "term softmax",
        "SOFTMAX": "term softmax",
        "Sóftmax": "term softmax",
        "sofmtax": "term softmax",
        "teacher forcing": "term teacher_forcing",
        "label smoothing": "term label_smoothing",
        "smoothng": "question smoothing",
        "logits": "term logits",
        "教师强制": "term teacher_forcing",
        "positions": "chapter positions",
        "masks": "chapter masks",
        "for teachers": "chapter teachers",
        "noam rate": "question warm_up",
        "residual stream": "section layers.stream",
        "mend the code": "section practice.mend",
        "greedy's mistake": "section ways.mistake",
    },
    "zh": {
        "为什么不用一个大头": "question one_head",
        "多头": "question one_head",
        "注意力是解释吗": "question explanation",
        "为什么除以 √d_k": "question root_d_k",
        "解码器为什么看不到后面": "question future",
        "幻觉": "question nonsense",
        "缓存": "question cache",
        "梯度消失": "question saturated",
        "预热": "term warm_up",
        "词元": "term token",
        "softmax": "term softmax",
        "标签平滑": "term label_smoothing",
        "teacher forcing": "term teacher_forcing",
        "残差连接": "term residual",
        "掩码": "term mask",
        "ｋｖ　缓存": "question cache",
    },
}
# What people ask, what PyTorch and lecture notes call it -> what answers it, among the first three
AMONG_FIRST = {
    "en": {
        "combine padding mask and look-ahead mask": "section masks.both",
        "why do trg_pad_mask and src_mask have different sizes": "question both_masks",
        "difference between src_mask and src_key_padding_mask": "question two_conventions",
        "translation repeats the same word": "question repeats",
        "nan loss": "question not_a_number",
        "start symbol": "question first_word",
        "attention weight greater than 1": "section attention.dropout",
        "what does a loss of 2.3 mean": "question loss_of_guessing",
        "is the output predicted in parallel or one by one": "question parallel",
        "loss is stuck at a plateau": "question stuck",
        "why does my model not learn": "question stuck",
        "why shift the target right": "term shifted_right",
        "weight tying share embedding and output": "question tying",
        "difference between GPT and this": "question gpt_and_bert",
        "encoder only BERT": "question gpt_and_bert",
        "batch first shape": "question batch_first",
        "why model.eval()": "question evaluation",
        "why layer norm before or after": "question pre_post",
        "do I need the mask at inference": "question mask_while_writing",
        "what is memory in the decoder": "question memory",
        "why do I get different results each time": "question different_results",
        "why adam beta2 0.98": "question adam",
        "cross entropy vs KL divergence label smoothing": "question smoothing",
        "ignore padding in the loss": "question ignore_padding",
        "odd d_model positional encoding": "question odd_d_model",
        "dropout on attention weights": "section attention.dropout",
        "attention is uniform": "question uniform",
        "predicts end of sentence immediately": "question ends_at_once",
        "which axis sums to one": "question sums_to_one",
        "nn.LayerNorm": "term layer_norm",
        "log_softmax": "term logits",
        "unsqueeze mask": "section masks.both",
        "norm_first=True": "question pre_post",
        "generate_square_subsequent_mask": "question future",
        "nn.CrossEntropyLoss(ignore_index=0)": "question ignore_padding",
        "padding_idx": "section tokens.zero",
        "embed_dim must be divisible by num_heads": "question divisible",
        "loss doesn't decrease, not converging": "question stuck",
        "view vs transpose heads": "section heads.view",
        "masked_fill -1e9 or -inf": "section masks.fill",
        "sequence longer than max_len": "section positions.beyond",
        "why scale by the square root of d_k": "question root_d_k",
        "what happens if I forget the causal mask": "question future",
        "accuracy is high but the sentences are wrong": "question tokens_and_sentences",
        "can heads be pruned": "question spare_heads",
        "train on my own data": "question own_model",
        "load a pytorch checkpoint": "section training.own",
        "validation loss lower than training loss": "question validation",
        "exploding gradients": "question not_a_number",
        "rotary embedding": "question rope",
        "batch norm instead of layer norm": "question layer_norm",
        "quadratic complexity": "question long_texts",
        "dropout during inference": "question evaluation",
        "greedy decode gets stuck in a loop": "question repeats",
        "True means masked or not": "section masks.convention",
        "length penalty": "term beam",
        "state_dict keys missing": "section training.own",
        "规范化层": "term layer_norm",
    },
    "zh": {
        "为什么要右移": "term shifted_right",
        "为什么输出重复": "question repeats",
        "损失不下降": "question stuck",
        "位置编码为什么用相加": "question added",
        "多头注意力为什么要分头": "question one_head",
        "padding mask 和 look-ahead mask 有什么区别": "question both_masks",
        "参数量怎么算": "question parameters",
        "权重共享": "question tying",
        "GPT 和 Transformer 的区别": "question gpt_and_bert",
        "旋转位置编码": "question rope",
        "规范化层": "term layer_norm",
        "子层连接": "term residual",
        "向后遮掩": "question both_masks",
        "生成器": "term logits",
        "掩码张量": "term mask",
        "文本嵌入层": "term embedding",
        "前馈全连接层": "section layers.network",
        "注意力权重加起来等于几": "question sums_to_one",
        "为什么要除以根号dk": "question root_d_k",
        "为什么要乘以根号d_model": "question root_d_model",
        "推理时需要掩码吗": "question mask_while_writing",
        "损失变成nan": "question not_a_number",
        "模型一直输出同一个词": "question repeats",
        "怎么加载自己的模型": "section training.own",
        "序列太长怎么办": "question longer",
        "温度参数": "term temperature",
        "初始化参数": "question initial",
        "每次结果不一样": "question different_results",
        "解码器输入为什么错开一位": "term shifted_right",
        "填充的损失怎么忽略": "question ignore_padding",
        "困惑度": "question perplexity",
        "贪心解码和束搜索": "question greedy",
        "src_key_padding_mask": "question two_conventions",
        "model.eval()": "question evaluation",
        "残差为什么能缓解梯度消失": "question residual",
        "训练集上很好测试不好": "question exposure_bias",
        "一开始就输出结束符": "question ends_at_once",
        "手算练习": "question by_hand",
        "老师怎么用": "chapter teachers",
    },
}
NOTHING = ["", "   ", "🦄🦄🦄", "<>", "?!", "xyzzy", "qqqq wwww", "0x1F", "《》"]
NOTHING += [
    "blorf",
    "wibble",
    "frumious",
    "snorkelwack",
    "zzzz",
    "asdfgh",
    "plugh",
    "grault",
    "thwomp",
    "quux",
    "vorpal",
]
NOTHING += [
    "gribbleton",
    "mxyzptlk",
    "smorgle",
    "lorem ipsum",
    "hjkl",
    "tralala",
    "zorp",
    "咕噜噜",
    "火锅底料",
    "嗷呜嗷呜",
]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking() as answers:
        yield answers


def called(entry: dict[str, str], lang: str) -> str:
    """An entry by what it leads to."""
    kind, name = entry["kind"], entry["title"]
    if kind == "question":
        return f"{kind} {next(one.name for one in ASKED if one.asked(lang) == name)}"
    if kind == "term":
        return f"{kind} {entry['also'].split()[-1]}"
    if kind == "chapter":
        return f"{kind} {entry['chapter']}"
    return f"{kind} {entry['chapter']}.{entry['section'].replace('-', '_')}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_meant_is_found_first(ask: Ask, lang: str) -> None:
    answers = ask("finds", found(lang), list(FIRST[lang]))
    firsts = {typed: called(one[0], lang) if one else "" for typed, one in zip(FIRST[lang], answers)}
    assert firsts == FIRST[lang]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_people_ask_is_answered_among_the_first_three(ask: Ask, lang: str) -> None:
    answers = ask("finds", found(lang), list(AMONG_FIRST[lang]))
    names = {typed: [called(one, lang) for one in results[:3]] for typed, results in zip(AMONG_FIRST[lang], answers)}
    assert {typed: names[typed] for typed, meant in AMONG_FIRST[lang].items() if meant not in names[typed]} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_synonym_means_something_that_is_there(ask: Ask, lang: str) -> None:
    groups = synonyms(lang)
    names = [(name, group[0]) for group in groups for name in group]
    answers = ask("finds", found(lang), [name for name, _ in names])
    assert [name for name, results in zip(names, answers) if not results] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_section_is_found_by_what_it_says_and_shows_the_sentence(ask: Ask, lang: str) -> None:
    ((first, *_),) = ask("finds", found(lang), ["Toeplitz"])
    assert called(first, lang) == "section positions.products"
    assert "Toeplitz" in first["text"]
    assert first["text"].startswith(Words("positions", lang)("title"))


def test_a_story_is_found_by_its_captions(ask: Ask) -> None:
    ((first, *_),) = ask("finds", found("en"), ["wider gaps information hops convolution"])
    assert called(first, "en") == "chapter why_attention"
    assert "convolution" in first["text"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_question_term_and_chapter_is_found_by_its_own_words(ask: Ask, lang: str) -> None:
    looked = [one for one in entries(lang) if one["kind"] != "section"]
    answers = ask("finds", found(lang), [one["title"] for one in looked])
    assert [one["title"] for one, first in zip(looked, answers) if first[0]["title"] != one["title"]] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_found_where_nothing_is_meant(ask: Ask, lang: str) -> None:
    assert ask("finds", found(lang), NOTHING) == [[]] * len(NOTHING)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whatever_is_typed_there_are_few_results_and_no_markup(ask: Ask, lang: str) -> None:
    typed = ["a" * 10_000, "softmax " * 2_000, "为什么" * 4_000, "<img src=x onerror=alert(1)>", "the", "的", "e"]
    typed += [
        "$&*[[mask]]{{n}}",
        "掩码mask маска قناع マスク",
        "_" * 300,
        "a_" * 5_000,
        "\u202esoftmax\x00",
        "__proto__",
        "constructor",
    ]
    assert all(len(results) <= MOST for results in ask("finds", found(lang), typed))
    for entry in entries(lang):
        for text in (entry["title"], entry["text"], *entry.get("says", ())):
            assert not re.search(r"<[/\w]|\{\{|\[\[|\*\*|\$", text), text


def test_a_letter_more_less_other_or_two_changed_round_is_one_slip(ask: Ask) -> None:
    entry = {"kind": "term", "title": "decoder", "text": ""}
    typed = ["decoders", "decder", "dexoder", "deocder", "dceoedr", "decodersss"]
    assert [bool(found) for found in ask("finds", {"entries": [entry], "synonyms": []}, typed)] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]


def test_the_sections_are_those_of_the_chapters() -> None:
    """They are read from the texts."""
    for chapter in (MAP, *CHAPTERS):
        named = {one.name for one in contents(chapter).every if not one.words}
        titled = {name for name in named if f"{name}.title" in load(chapter)}
        assert set(sections(chapter)) == titled, chapter


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_that_there_is_can_be_found(lang: str) -> None:
    kinds = {kind: [one for one in entries(lang) if one["kind"] == kind] for kind in KINDS}
    assert len(kinds["question"]) == len(ASKED) >= 40
    assert [one["chapter"] for one in kinds["chapter"]] == [MAP, *CHAPTERS, *BESIDE]
    assert {one["also"].split()[-1] for one in kinds["term"]} == {key.rpartition(".")[0] for key in load(TERMS)}
    assert all(one["text"] for one in entries(lang))
    assert all(one["chapter"] in {MAP, *CHAPTERS, QUESTIONS} for one in kinds["term"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_stays_small(lang: str) -> None:
    """A browser fetches it once, when the page stands, and keeps it."""
    whole = json.dumps(found(lang), ensure_ascii=False, separators=(",", ":")).encode()
    assert len(whole) < 130_000
    assert len(gzip.compress(whole)) < 45_000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_search_has_words_for_all_that_it_says(lang: str) -> None:
    assert all(Words("shell", lang)(f"search.{name}") for name in SAID)
