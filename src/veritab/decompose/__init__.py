"""Texts become claims, and claims become parts; no model and no corpus is needed.

`read_text` gives a document as running text, `worth_checking` finds the sentences of a text that are worth checking and
makes each stand alone, `parts` cuts a claim of several assertions into claims of one.

    parting <- joints, asides, pairs     a claim becomes parts
    finding <- speaking, worth           a text becomes claims: whom it speaks of, what is worth checking
    stating                              whether words are a claim at all
    tokens, verbs, subjects              the words of a sentence, and what their form tells
"""

from __future__ import annotations

from veritab.decompose.finding import Found, worth_checking
from veritab.decompose.parting import parts
from veritab.decompose.texts import Text, read_text, text_in, text_of

__all__ = ["Found", "Text", "parts", "read_text", "text_in", "text_of", "worth_checking"]
