"""Traditional Chinese characters, for who types them: those of the small language's words."""

TRADITIONAL = "兩個書買園醫廚隻後歡圖館學輕張樂們樹畫覺紅經師這裡裏鳥貓"
SIMPLIFIED = "两个书买园医厨只后欢图馆学轻张乐们树画觉红经师这里里鸟猫"

_TABLE = str.maketrans(TRADITIONAL, SIMPLIFIED)


def simplified(text: str) -> str:
    """A text with those characters as they are written in the vocabulary; all others stay."""
    return text.translate(_TABLE)
