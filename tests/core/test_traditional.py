"""Who writes traditional characters is read."""

from transformer_core.tasks import Translation
from transformer_core.tasks.grammar import CHINESE, english_chinese
from transformer_core.tasks.traditional import SIMPLIFIED, TRADITIONAL, simplified

OURS = set("".join(english_chinese().words(CHINESE)))
ALIKE = set("一三上下不今休息公喜喝在大她天小常年快我把新朵本杯桌椅棵每水漂亮狗猫生画白的看睡老色花茶那里些面黑子房")


def test_the_table_is_of_the_vocabularys_characters_and_of_no_others():
    assert len(TRADITIONAL) == len(SIMPLIFIED) == len(set(TRADITIONAL))
    assert set(SIMPLIFIED) <= OURS
    assert set(TRADITIONAL).isdisjoint(OURS)


def test_every_character_of_the_vocabulary_is_in_the_table_or_is_written_alike_in_both():
    assert set(SIMPLIFIED) | ALIKE == OURS


def test_a_traditional_sentence_is_the_simplified_one():
    source = Translation("zh-en").source
    for traditional, simple in {
        "我每天買兩朵紅色的花": "我每天买两朵红色的花",
        "三個學生在圖書館裡看書": "三个学生在图书馆里看书",
        "她喜歡這隻貓": "她喜欢这只猫",
        "年輕的醫生在花園裏畫鳥": "年轻的医生在花园里画鸟",
    }.items():
        assert simplified(traditional) == simple
        assert source.read(traditional) == source.read(simple)


def test_what_is_in_no_table_stays():
    assert simplified("飛 the 貓") == "飛 the 猫"
