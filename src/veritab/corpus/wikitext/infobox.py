"""An infobox template becomes a table: its name over two columns, then a row for each parameter a reader would see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from veritab.corpus.inline import clean_line
from veritab.corpus.wikitext.literals import SOFT
from veritab.corpus.wikitext.markup import plain, tidy

BOX = f'{SOFT}{{| class="infobox"{SOFT}'
_ROW = f"{SOFT}|-{SOFT}"
_END = f"{SOFT}|}}{SOFT}"

# Pictures and their captions and sizes, colours, maps, kits and how the box is put together: not what the box says.
_PLUMBING = re.compile(
    r"\b(?:image|img|photo(?!g)|picture|logo|pushpin|mapframe)|caption|\b(?:map|signature|alt)\b|"
    r"\b(?:map|flag|shield|seal|symbol|crest|badge|emblem) ?(?:size|width|height)$|^background$|"
    r"^(?:(?:bg|background|header|title|text|border|box|bar|label) ?)?colou?r(?: ?code)?\d*$|"
    r"^(?:body|above|below|title|header|label|data|list) ?(?:style|css|class)\d*$|"
    r"^(?:embed|embedded|child|module|subbox|nocat|collapsible|italic title)\d*$|"
    r"^(?:pattern .*|(?:leftarm|rightarm|body|shorts|socks)\d+)$|"
    r"^(?:lat|lon|long)(?: ?(?:d|m|s|deg|min|sec|ns|ew|direction))?$|"
    r"^coord(?:inates)? (?:type|display|region|format|ref)$"
)
_FILE = re.compile(r"[^\s|][^|\n]*\.(?:jpe?g|png|svg|gif|tiff?|webp|og[gva]|webm|pdf|djvu)", re.IGNORECASE)
_HEADINGS = frozenset({"name", "title", "above"})
_NUMBERED = re.compile(r"(?:label|data|header)(\d{1,4})")


def is_infobox_name(name: str) -> bool:
    """Whether a template, by its name in small letters, is an infobox."""
    return name.startswith(("infobox", "taxobox", "geobox", "automatic taxobox", "speciesbox")) or name.endswith(
        " infobox"
    )


def infobox(name: str, parameters: Mapping[str, str], title: str) -> str:
    """The box as the wikitext of a table."""
    heading = next((key for key in parameters if key.lower() in _HEADINGS and parameters[key]), "")
    shown, inner = _embedded(parameters.get(heading, ""))
    rows = [f'! colspan="2" |{_line(shown or title)}', *inner]
    of_name = _numbered_rows if name == "infobox" else _rows
    rows.extend(of_name({key: value for key, value in parameters.items() if key != heading}))
    return BOX + _ROW.join(rows) + _END


def _rows(parameters: Mapping[str, str]) -> Iterator[str]:
    for key, written in parameters.items():
        value, inner = _embedded(written)
        yield from inner
        label = " ".join(key.replace("_", " ").split())
        if value and not _PLUMBING.search(label.lower()) and not _FILE.fullmatch(value) and _shows(value):
            yield f"!|{label[:1].upper()}{label[1:]}{SOFT}||{_lines(value)}"


def _embedded(value: str) -> tuple[str, list[str]]:
    """A value, and the rows of an infobox inside it: they belong to the box around it."""
    if BOX not in value:
        return value.strip(), []
    before, _, rest = value.partition(BOX)
    inner, _, after = rest.rpartition(_END)
    return (before + after).strip(), inner.split(_ROW)[1:]


def _shows(value: str) -> bool:
    """Whether anything is left of a value that starts with a tag or a character reference."""
    return value[0] not in "<&" or bool(clean_line(plain(tidy(value)))[0])


def _numbered_rows(parameters: Mapping[str, str]) -> Iterator[str]:
    """{{Infobox}} itself names its rows with label1, data1, header2 and so on."""
    numbers = {int(match[1]) for key in parameters if (match := _NUMBERED.fullmatch(key))}
    for number in sorted(numbers):
        header, label, value = (parameters.get(f"{part}{number}", "") for part in ("header", "label", "data"))
        if header:
            yield f'! colspan="2" |{_line(header)}'
        elif value:
            yield f"!|{_line(label)}{SOFT}||{_lines(value)}" if label else f'| colspan="2" |{_lines(value)}'


def _line(text: str) -> str:
    return _lines(text).replace("!!", "&#33;&#33;").replace(SOFT, " ")


def _lines(value: str) -> str:
    """A value as lines of a cell: none may look like the start of another cell."""
    return value.replace("\n", SOFT).replace(f"{SOFT}!", f"{SOFT}&#33;")
