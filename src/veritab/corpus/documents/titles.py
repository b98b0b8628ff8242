"""What a document is called: by its properties or its first heading, unless those are what programs put there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from veritab.schema import Block, Section
from veritab.text import printable, squeeze, title_form

_LONGEST = 200
# "Microsoft Word - report.docx" is what printing to PDF makes of a file's name.
_PRINTED = re.compile(r"(?:microsoft )?(?:word|excel|powerpoint|office word) - ", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"(?:.*[\\/].*|.*\.(?:docx?|dot[xm]?|docm|odt|ott|rtf|txt|md|html?|xls[xmb]?|xlt[xm]?|ods|csv|tsv|pptx?|odp|pdf|ps|eps"
    r"|dvi|tex|indd|qxd|pages|numbers|wpd))",
    re.IGNORECASE | re.DOTALL,
)
_OF_PROGRAMS = re.compile(
    r"(?:untitled|unnamed|no title|title|default|blank|normal|new)?[ _-]*"
    r"(?:(?:microsoft )?(?:word|excel|office|powerpoint|pdf)?[ _-]*"
    r"(?:document|doc|workbook|book|mappe|dokument|worksheet|spreadsheet|sheet|tabelle|presentation|slide|page|file)?)"
    r"[ _-]*[0-9]{0,3}(?: ?\([0-9]{1,3}\))?",
    re.IGNORECASE,
)
_OF_SECTIONS = re.compile(
    r"(?:introduction|(?:table of )?contents|abstract|(?:executive )?summary|overview|preface|foreword|agenda|notes?"
    r"|readme|index|home)",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\btemplate\b|\bvorlage\b", re.IGNORECASE)


def choose_title(own: str, blocks: Sequence[Block]) -> str:
    """The title that a document gives itself, in its properties or else as its only heading of the first level at its
    top; nothing when it has none that tells it from others."""
    return _telling(own) or _telling(_top_heading(blocks))


def _top_heading(blocks: Sequence[Block]) -> str:
    first = blocks[0] if blocks else None
    if type(first) is not Section or first.level != 1:
        return ""
    alone = not any(type(block) is Section and block.level == 1 for block in blocks[1:])
    return first.text if alone else ""


def _telling(title: str) -> str:
    """A title as it can be shown, or nothing when a program made it up, or it is that of a section."""
    shown = title_form(squeeze(printable(title)))
    says_little = (
        len(shown) > _LONGEST
        or sum(character.isalpha() for character in shown) < 3
        or _PRINTED.match(shown)
        or _FILE_NAME.fullmatch(shown)
        or _OF_PROGRAMS.fullmatch(shown)
        or _OF_SECTIONS.fullmatch(shown)
        or _TEMPLATE.search(shown)
        or shown.startswith("(")  # "(anonymous)", "(unspecified)"
    )
    return "" if says_little else shown
