"""The sinusoidal position code (paper, section 3.5)."""

from ui.chapters.positions.beyond import beyond
from ui.chapters.positions.code import the_code
from ui.chapters.positions.forms import forms, layouts
from ui.chapters.positions.frozen import frozen
from ui.chapters.positions.order import order
from ui.chapters.positions.products import products
from ui.chapters.positions.questions import LESSON
from ui.chapters.positions.rotation import clock_hands
from ui.chapters.positions.settings import Positions
from ui.chapters.positions.sum import added
from ui.chapters.positions.wavelengths import slowest
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

DEEPER = (
    Section("forms", forms, owns="form_d form_at", text="lead"),
    Section("layouts", layouts, owns="layout_cell", text="lead"),
    Section("frozen", frozen, owns="frozen_cell", text="lead"),
)

chapter = open_chapter("positions", Positions)
sections(
    chapter,
    Section("code", the_code, look="lead", why="text", lesson=LESSON),
    *difference(chapter),
    Section("wavelengths", slowest, owns="slowest wave_d wave_base"),
    Section(
        "products", products, owns="product_length product_d product_cell ask_distance", text="lead", lesson=LESSON
    ),
    Section("clocks", clock_hands, owns="turn_d pos shift turn_cell angle", text="lead"),
    Section("sum", added, owns="phrase size sum_first sum_cell ask_twice", text="lead", lesson=LESSON),
    Section("order", order, owns="order_seed order_first order_cell order", text="lead"),
    Section("beyond", beyond, owns="beyond beyond_cell"),
    Section("deeper", look="open", text="text", parts=DEEPER),
)
close_chapter(chapter)
