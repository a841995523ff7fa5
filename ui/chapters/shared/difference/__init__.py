"""A matrix of the model at hand beside the same of another model: the section that every chapter may have."""

from ui.chapters.shared.difference.section import difference_from

__all__ = ["difference_from"]
