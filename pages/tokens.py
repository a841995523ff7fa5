"""Tokens and embeddings."""

from ui.settings.tokens import Tokens
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("tokens", Tokens)
close_chapter(chapter)
