"""The notes' print-out of an embedding, to be checked: the rows are not from the table above them."""

from functools import partial

import numpy as np

from ui.chapters.shared.attention_values import numbered
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import I, J, Matrix
from ui.sections import AnyChapter, Quantity, Section, predict, provenance, show

WIDTH = 16
IDS = ((3, 4, 0, 0, 0), (2, 6, 7, 5, 0))

# As the notes print them: the weights of a new `nn.Embedding(8, 16)`, and what they call its rows for IDS.
TABLE = """
-0.8922 1.6868 -0.6418 0.3140 -0.8981 -0.2032 -1.1533 1.4407
  0.6462 -0.0218 -0.2189 -0.5544 -1.1963 -0.8797 -1.4896 -1.1375
-0.6679 1.3612 0.0115 -0.7135 -0.7511 -0.2279 0.9266 0.6085
  -0.0658 -0.7805 0.1241 -0.5363 -0.0310 0.1398 -0.2880 -0.3838
-0.6014 -0.5428 -1.9882 -0.7380 -0.8123 -0.5486 -0.7666 0.4053
  -0.7813 -0.5849 -0.3628 -0.7975 0.4671 2.0936 0.5843 -1.3917
1.8526 0.5546 0.1360 -0.6861 -1.5588 -0.8645 -0.5102 -0.4818
  -0.7090 1.7046 -0.9654 0.0745 -0.5227 -0.4729 -0.6181 0.3763
-0.5552 -0.8068 -1.2071 -1.9199 1.1797 0.7980 0.0243 0.5780
  -1.0205 0.3595 0.1759 -1.7504 0.1044 0.1721 1.3329 2.4223
0.0843 -0.6042 -0.8001 -1.7500 1.7444 0.5514 0.3341 -0.3628
  0.0701 -0.1078 -0.0630 -2.8175 -0.3428 -0.7154 -0.1690 0.9915
2.6575 -1.9004 -0.7635 0.7862 1.9882 -2.4753 -0.0353 0.2691
  -0.1716 0.0885 -0.1151 -0.6685 0.5251 0.4102 1.5151 -0.1743
-0.4236 1.5056 1.6229 -1.1891 -0.3939 0.0631 1.0910 0.4685
  -0.1328 -0.6178 0.0780 1.4527 -0.5974 -0.9052 0.1527 -0.5200
"""
ROWS = """
-0.4144 0.8002 -0.7077 1.0783 0.2542 0.6446 0.1157 0.3006
  1.3689 -1.8104 -0.4804 1.5375 0.2803 0.3098 -0.4550 0.2727
-1.0427 2.1106 0.4897 -1.3543 -1.2303 0.4397 0.9002 -0.2692
  0.4160 0.6407 -0.2677 -1.3330 0.9792 -0.8851 0.8809 2.2589
1.4646 -1.2331 0.7219 -0.1666 -0.0202 -1.0846 -0.6944 0.4036
  0.1553 0.7446 -1.4565 0.6299 -1.2328 -2.6654 -0.7258 -0.7802
1.4646 -1.2331 0.7219 -0.1666 -0.0202 -1.0846 -0.6944 0.4036
  0.1553 0.7446 -1.4565 0.6299 -1.2328 -2.6654 -0.7258 -0.7802
1.4646 -1.2331 0.7219 -0.1666 -0.0202 -1.0846 -0.6944 0.4036
  0.1553 0.7446 -1.4565 0.6299 -1.2328 -2.6654 -0.7258 -0.7802
-1.4822 -0.1679 -1.3464 1.0757 1.2704 -0.9263 0.2799 -0.9830
  -0.6915 -0.5027 1.4015 -0.8211 2.2959 0.5048 -0.6541 1.9831
-1.4967 0.1112 0.4351 -1.1601 0.0701 1.8887 1.2096 -0.5478
  -0.9204 0.1664 0.7460 0.0595 0.5841 -1.7000 -0.1230 -0.2716
0.5547 -0.2306 0.9880 0.0605 -0.0773 0.2532 -0.9352 1.9237
  -0.8470 0.0512 0.1840 2.5656 0.9901 -0.3262 -0.8087 1.1227
-0.5701 0.7893 -1.8570 0.0964 -0.9695 1.0017 -0.3000 -1.8581
  0.6612 0.1198 0.4757 -0.1629 -1.7126 1.1889 -1.0428 -0.2390
1.4646 -1.2331 0.7219 -0.1666 -0.0202 -1.0846 -0.6944 0.4036
  0.1553 0.7446 -1.4565 0.6299 -1.2328 -2.6654 -0.7258 -0.7802
"""


# The first number of row 3 in the table; what the notes print as that row, and row 2 of the table.
ROW_OF_THREE = Quantity("printed", 1.8526, {"printed.wrong.given_there": -0.4144, "printed.wrong.from_one": -0.6014})


@Section("printed", cell="printed_cell rows_cell", text="lead", asks=(ROW_OF_THREE,), of_notes=True)
def printed_rows(chapter: AnyChapter) -> None:
    say, table, rows = chapter.say, read(TABLE), read(ROWS)
    tokens = [token for sequence in IDS for token in sequence]
    dims = numbered(table.shape[1])
    wide = partial(Panel, col_labels=dims, col_axis=say("dimension_axis"), digits=5, meaning="encoder")
    high = float(max(np.abs(table).max(), np.abs(rows).max()))  # what is compared has the same ends
    of_tokens = partial(wide, high=high, row_labels=[str(token) for token in tokens], row_axis=say("sequence_row_axis"))
    paddings = [at for at, token in enumerate(tokens) if token == 0]
    weights = wide(
        "weights",
        table,
        say("table"),
        row_labels=numbered(len(table)),
        row_axis=say("token_axis"),
        symbol="E",
        place=(0, 0),
    )
    ids = Panel(
        "printed_ids",
        np.array(IDS),
        say("ids.src"),
        row_axis=say("sequence_axis"),
        col_axis=say("position_axis"),
        scale="plain",
        print_values=True,
        meaning="encoder",
    )
    show(
        chapter,
        Figure(
            "printed_table",
            Board([ids, weights], cell="printed_cell"),
            provenance("nn.Embedding(8, 16).weight", *table.shape),
            alt=say("printed.table_alt"),
        ),
    )
    if not predict(chapter, ROW_OF_THREE):
        return
    looked = table[tokens]
    panels = [
        of_tokens("looked", looked, say("printed.looked"), padded_rows=paddings, symbol="x",
                  made=Matrix("weights")[I.of(tokens, "id"), J]),
        of_tokens("given", rows, say("printed.given"), padded_rows=paddings, symbol="y", place=(0, 1)),
        of_tokens("gap", rows - looked, say("printed.gap"), padded_rows=paddings, place=(1, 0),
                  made=Matrix("given")[I, J] - Matrix("looked")[I, J]),
    ]  # fmt: skip
    figure = Figure(
        "printed_rows",
        Board(panels, [Operand("weights", table, "E", "encoder")], "rows_cell", result="looked"),
        provenance("nn.Embedding(8, 16)(src_seq)", *looked.shape),
        program=f'''import numpy as np

table = np.array("""{TABLE}""".split(), dtype=np.float32).reshape(-1, {WIDTH})
src_seq = np.array({list(map(list, IDS))})
shown = table[src_seq].reshape(-1, {WIDTH})
print(shown)
''',
        alt=say("printed.rows_alt"),
    )
    show(chapter, figure)
    nearest = np.abs(rows[:, None] - table[None]).max(-1).min()  # of a printed row to any row of the table
    chapter.write("printed.text", nearest=number(float(nearest), 3), paddings=len(paddings))


def read(printed: str) -> np.ndarray:
    return np.array(printed.split(), dtype=np.float32).reshape(-1, WIDTH)
