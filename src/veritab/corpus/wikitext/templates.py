"""Which templates are known, and what becomes of each: a table of names in place of a template engine.

An unknown template shows nothing, and its name is kept so that the page can report what was left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from veritab.corpus.inline import BREAK
from veritab.corpus.wikitext import expansions as show
from veritab.corpus.wikitext.expansions import Call, Shows
from veritab.corpus.wikitext.infobox import BOX, infobox, is_infobox_name
from veritab.corpus.wikitext.literals import SOFT
from veritab.corpus.wikitext.markup import FLAG

_MOST_GIVEN = 500
_NAME = re.compile(r"\s*([^=\x00-\x1f<>&]{0,60}?)\s*=")


class Templates:
    """The templates of one page; `unknown` holds the names of those left out, as written."""

    def __init__(self, title: str) -> None:
        self.unknown: dict[str, None] = {}
        self._title = title

    def __call__(self, parts: list[str]) -> str:
        """What a template shows, given the parts between its pipes."""
        written = " ".join(parts[0].split())
        name = written.replace("_", " ").lower().removeprefix("template:")
        if name in _SHOWS:
            return _SHOWS[name](_call(name, parts))
        if is_infobox_name(name):
            return infobox(name, _call(name, parts).named, self._title)
        if show.notice(name):
            return FLAG
        if name in _NOTHING or name.startswith(_NOTHING_BEFORE) or name.endswith(_NOTHING_AFTER):
            return _kept(parts)
        if name.startswith(_LAST_BEFORE):
            return _call(name, parts).last()
        if name == "pagename":
            return self._title
        if ":" in name:
            return _function(written)
        if len(parts) == 1 and len(written) == 3 and written.isupper():
            return written  # {{FRA}} and its like show a flag and a country
        if written:
            self.unknown[written[:60]] = None
        return _kept(parts)


def _call(name: str, parts: list[str]) -> Call:
    """Tell parameters by position from those by name; "2=x" is one by position."""
    given: list[str] = []
    named: dict[str, str] = {}
    unnamed = 0
    for part in parts[1:]:
        match = _NAME.match(part) if "=" in part else None
        if match is not None and not match[1].isdecimal():
            named[match[1]] = part[match.end() :].strip()
            continue
        if match is None:
            unnamed += 1
        place = unnamed if match is None else int(match[1])
        if 0 < place <= _MOST_GIVEN:
            given.extend([""] * (place - len(given)))
            given[place - 1] = part[match.end() if match else 0 :].strip()
    return Call(name, given, named)


def _kept(parts: Iterable[str]) -> str:
    """What stays of a template that shows nothing: infoboxes and notices inside it."""
    return "".join(part for part in parts if BOX in part or FLAG in part)


def _function(written: str) -> str:
    """Parser functions: {{formatnum:1234}} and {{lc:X}} show something, {{DEFAULTSORT:X}} and most others do not."""
    function, _, value = written.partition(":")
    match function.lower():
        case "formatnum":
            return show.thousands(value)
        case "lc":
            return value.lower()
        case "uc":
            return value.upper()
    return ""


def _names(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split(";")]


_TABLE: tuple[tuple[str, Shows], ...] = (
    # What is shown is what is given.
    (
        "nowrap; nobr; small; smaller; big; larger; longitem; linktext; abbr; tooltip; nobold; noitalic; em; "
        "strong; center; sic; not a typo; proper name; nastaliq; unicode; math; mvar; respell; keypress; key; "
        "code; mono; samp; var; kbd; tt; overline; underline; baseball year; visible anchor; vanchor; noflag; "
        "flagioc; fb; fbw; cr; nft; rtl-lang; smallcaps; small caps; sc; sub; ipa; ipalink; ipaslink; birth-date; "
        "birth-date and age; death-date; death-date and age; start-date; end-date; asterisk",
        Call.first,
    ),
    (
        "lang; langx; color; font color; background color; legend; legend2; legend inline; sort; resize; align",
        Call.second,
    ),
    ("transl; transliteration", Call.last),
    ("chem; chem2; nuclide", show.together),
    # Notes above the text, and what stands apart from it.
    ("main; main article; hauptartikel", show.hatnote("Main article:", "Main articles:")),
    ("see also; seealso; see", show.hatnote("See also:")),
    ("further; further information", show.hatnote("Further information:")),
    ("details", show.hatnote("For more details, see")),
    ("distinguish; distinguish2; confuse", show.hatnote("Not to be confused with")),
    ("for; for2", show.for_others),
    ("other uses; otheruses; other people", show.other_uses),
    ("about", show.about),
    ("redirect; redirects", show.redirects_here),
    ("redirect2", show.two_redirect_here),
    ("hatnote; rellink; dablink", lambda call: show.paragraph(call.first())),
    ("quote; blockquote; bquote; cquote; quotation; quote box; rquote", show.quotation),
    ("plainlist; plain list; flatlist; flat list; columns-list; indented plainlist", show.list_inside),
    ("ubl; ublist; unbulleted list; hlist; collapsible list; bulleted list; blist", show.listed),
    ("multiple issues; multipleissues; article issues; issues", show.issues),
    # Numbers, dates and measures.
    ("convert; cvt", show.convert),
    ("height", show.height),
    ("coord", show.coordinates),
    ("frac; fraction; sfrac", show.fraction),
    ("val", show.value),
    ("nts; number table sorting; formatnum; commas", show.number),
    (
        "birth date; birth date and age; death date; death date and age; start date; start date and age; end date; "
        "end date and age; birth year and age; death year and age; birth month and age; dts; date; date table sorting; "
        "film date; release date; release date and age; launch date; opening date; dob; bda; dda; formatdate",
        show.date,
    ),
    ("as of; as-of", show.as_of),
    ("circa; c.; ca.; c", show.years("c.")),
    ("floruit; fl.", show.years("fl.")),
    ("reign", show.years("r.")),
    ("us$; usd", show.before_first("US$")),
    ("gbp; £", show.before_first("£")),
    ("euro; eur; €", show.before_first("€")),
    ("inr; ₹", show.before_first("₹")),
    ("jpy; ¥", show.before_first("¥")),
    ("sup", show.raised),
    ("e", show.power_of_ten),
    # Names and addresses.
    ("sortname; sortkeyname", show.person),
    ("flag; flagcountry; flagu; flag+link; country", show.country),
    ("flagathlete; flagiocathlete; flagiocmedalist", show.athlete),
    ("flagicon; flag icon; flagdeco; flagicon image; fbicon", show.flag_icon),
    ("ship; hms; uss; rms; ss; mv; hmas; hmcs; sms", show.ship),
    ("ill; interlanguage link", show.other_language),
    ("nihongo", show.japanese),
    ("marriage", show.marriage),
    ("ipac-en", show.sounds),
    ("url", show.address),
    ("official website; official", lambda call: call.named.get("name") or "Official website"),
    ("isbn; issn; oclc; doi", show.identifier),
    # Characters.
    ("nbsp; space; spaces; thinsp; thin space; hair space; hsp", show.always("&nbsp;")),
    ("ndash; endash; en dash; –", show.always("–")),
    ("mdash; emdash; em dash; mdashb; —", show.always("—")),
    ("snd; spnd; spaced ndash; spaced en dash; dash", show.always(" – ")),
    ("smd; spaced mdash; spaced em dash", show.always(" — ")),
    ("·; •; dot; bullet; middot; bull", show.always(" · ")),
    ("dagger; †", show.always("†")),
    ("double dagger; double-dagger; ‡", show.always("‡")),
    ("=", show.always("&#61;")),
    ("'", show.always("&#39;")),
    ("'s", show.always("&#39;s")),
    ("pipe", show.always("&#124;")),
    ("break; br", show.always(BREAK)),
    ("pb; paragraph break; paragraph", show.always(SOFT + SOFT)),
    # Cells that a word and a colour fill.
    ("yes; aye; tick; check; y", show.first_or("Yes")),
    ("no; nay; cross; n", show.first_or("No")),
    ("n/a; na", show.first_or("N/A")),
    ("won", show.first_or("Won")),
    ("nom; nominated", show.first_or("Nominated")),
    ("tba", show.first_or("TBA")),
    ("tbd", show.first_or("TBD")),
    ("unknown; dunno", show.first_or("Unknown")),
    ("partial", show.first_or("Partial")),
    ("none; free; depends; maybe; draw; pending; included; dropped; okay; good; bad; rh", Call.first),
)
_SHOWS: dict[str, Shows] = {name: shows for names, shows in _TABLE for name in _names(names)}
_LAST_BEFORE = ("ipa-", "ipa ", "lang-", "script/")

# References, maintenance, navigation, pictures, layout: nothing a reader of the text would miss.
_NOTHING = frozenset(
    _names(
        """
        reflist; refbegin; refend; notelist; references; cn; fact; refn; r; rp; ref; note; ref label; note label;
        dead link; webarchive; wayback; google books; internetquelle; literatur; google buch; lsj; oed; imdb name;
        imdb title; find a grave; open access; closed access; free access; subscription; subscription required;
        registration required; page needed; verify source; failed verification; clarify; when; who; whom; which;
        by whom; according to whom; vague; where; why; how; dubious; disputed; disputed inline; unreliable source?;
        original research; quantify; specify; update; update after; update inline; outdated; dynamic list;
        incomplete list; missing information; empty section; orphan; copy edit; copyedit; pov; npov; advert;
        notability; primary sources; third-party; peacock; weasel; tone; globalize; very long; lead too short;
        inconsistent citations; citation style; anchor; anchors; short description; good article; featured article;
        featured list; lesenswert; exzellent; italic title; displaytitle; lowercase title; lowercase; engvarb; bots;
        nobots; authority control; normdaten; persondata; personendaten; coord missing; portal; portal bar; portals;
        sister project links; sisterlinks; subject bar; wikiquote; wiktionary; wikivoyage; wikinews; wikispecies;
        navboxes; navbox; navboxes top; navboxes bottom; succession box; start box; end box; disambig; disambiguation;
        surname; given name; hndis; geodis; set index article; clear; clr; clearleft; clearright; clear left;
        clear right; -; toc; tocleft; tocright; toc left; toc right; toc limit; compact toc; div col; div col end;
        end div col; colbegin; colend; col begin; col end; col break; multicol; multicol-break; multicol-end;
        columns-start; column; columns-end; stack begin; stack end; end; void; shy; zwnj; zwj; wbr; wj;
        multiple image; wide image; panorama; tall image; gallery; image label; image label small; image label begin;
        image label end; css image crop; listen; audio; video; annotated image; external media; external image;
        colorbox; color box; location map; location map many; location map+; osm location map; mapframe;
        chess diagram; family tree; increase; decrease; steady; decreasepositive; increasenegative; profit; loss; 0;
        00; 000; age; ntsh; hs; dtsh; hidden sort key; sortkey; fs start; fs mid; fs end
        """
    )
)
_NOTHING_BEFORE = (
    *(
        "cite",
        "citation",
        "harv",
        "sfn",
        "efn",
        "reflist",
        "pp-",
        "use ",
        "navbox",
        "age ",
        "age in",
        "s-",
        "col-",
        "#",
    ),
    *(
        "commons",
        "in lang",
        "defaultsort",
        "displaytitle",
        "taxonbar",
        "cleanup",
        "wikisource",
        "better source",
        "expand ",
    ),
)
_NOTHING_AFTER = (" navbox", "-stub", " stub", " icon", " sidebar", " needed", " topics", " footer")
