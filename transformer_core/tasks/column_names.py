"""What people call the columns of a table of pairs, in the languages of this app and some others."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SOURCES = _words(
    "source src input inputs question query prompt from original x front problem quelle origen 源 源语言 "
    "源语 源文 原文 输入 问题 问"
)
TARGETS = _words(
    "target tgt trg output outputs answer response reply completion to translation translated y back "
    "solution ziel destino 目标 目标语言 目标语 译文 翻译 输出 答案 回答 答"
)
LANGUAGES = _words(
    "english chinese mandarin cantonese french german spanish italian portuguese russian japanese korean "
    "arabic hebrew dutch turkish polish ukrainian greek latin esperanto hindi bengali urdu persian "
    "vietnamese thai indonesian malay swedish danish norwegian finnish hungarian czech slovak romanian "
    "bulgarian serbian croatian catalan basque irish welsh swahili quechua zulu yoruba tagalog filipino "
    "tamil telugu mongolian tibetan uyghur kazakh en zh fr de es it pt ru ja ko ar he nl tr pl uk el la "
    "eo hi bn ur fa vi th id ms sv da no nb fi hu cs sk ro bg sr hr eng zho cmn chn fra fre deu ger spa "
    "ita por rus jpn kor ara heb nld tur pol ukr ell lat epo hin vie tha ind swe dan cn jp kr us gb br "
    "français francais deutsch español espanol italiano português portugues русский українська 日本語 "
    "한국어 العربية עברית nederlands türkçe polski ελληνικά svenska anglais englisch inglés ingles "
    "chinois chinesisch chino 英文 英语 英語 中文 汉语 漢語 汉文 普通话 法语 法文 德语 德文 西班牙语 "
    "西班牙文 意大利语 葡萄牙语 俄语 俄文 日语 日文 韩语 韩文 阿拉伯语 拉丁语 世界语 文言文 文言 白话文 "
    "白话 拼音 汉字 古文 现代文"
)
_SIDES = _words(
    "text texts sentence sentences phrase phrases word words term string content language lang side left "
    "right simplified traditional singular plural noun text1 text2 satz wort frase texte mot palabra "
    "文本 句子 单词 词 词语 句"
)
_ALSO_WORDS = _words("id no to from la he it x y")  # of other meanings

# What a column of texts is called, and what any other is.
TEXTS = (SOURCES | TARGETS | LANGUAGES | _SIDES) - _ALSO_WORDS
OTHER = _words(
    "id ids index idx nr no number row line key uid guid pair pairs lang language code score similarity "
    "label split set type category topic tag tags level date time user username author licence license "
    "url link source_id attribution comment comments note notes audio x y to from 编号 序号 标识 索引 "
    "行号 语言 分数 标签 类别 来源 作者 备注 注释 日期 链接 拼音"
)
