"""The sinusoidal position code (paper, section 3.5)."""

from ui.labs.positions_beyond import beyond
from ui.labs.positions_code import the_code
from ui.labs.positions_forms import forms, layouts
from ui.labs.positions_order import order
from ui.labs.positions_products import products
from ui.labs.positions_rotation import clock_hands
from ui.labs.positions_sum import added
from ui.labs.positions_wavelengths import slowest
from ui.section import Section, sections
from ui.settings.positions import Positions
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("positions", Positions)
sections(
    chapter,
    Section("code", the_code, look="lead", why="text"),
    Section("wavelengths", slowest, owns="slowest wave_d wave_base"),
    Section("products", products, owns="product_length product_d product_cell", text="lead"),
    Section("clocks", clock_hands, owns="turn_d pos shift turn_cell angle", text="lead"),
    Section("forms", forms, owns="form_d form_at", text="lead"),
    Section("layouts", layouts, owns="layout_cell", text="lead"),
    Section("sum", added, owns="phrase size sum_first sum_cell", text="lead"),
    Section("order", order, owns="order_seed order_first order_cell order", text="lead"),
    Section("beyond", beyond, owns="beyond beyond_cell"),
)
close_chapter(chapter)
