"""Words and their opposites."""

from __future__ import annotations

_PAIRS = """first/last older/younger oldest/youngest before/after earlier/later earliest/latest north/south
northern/southern northeast/southwest northwest/southeast northeastern/southwestern northwestern/southeastern
east/west eastern/western increase/decrease increased/decreased increasing/decreasing more/less most/least
largest/smallest larger/smaller highest/lowest higher/lower longest/shortest longer/shorter best/worst won/lost
winning/losing male/female men/women men's/women's boys/girls son/daughter sons/daughters husband/wife father/mother
brother/sister public/private upper/lower major/minor professional/amateur former/current opened/closed always/never
including/excluding indoor/outdoor left/right inside/outside ancient/modern domestic/international positive/negative
success/failure successful/unsuccessful winner/loser winners/losers victory/defeat defeated/joined bought/sold
rural/urban single/double beginning/end begins/ends began/ended started/finished majority/minority summer/winter
rejected/accepted primary/secondary above/below arrived/departed hero/villain live-action/animated black/white
fiction/non-fiction maximum/minimum day/night founded/dissolved wealthy/poor rich/poor popular/unpopular
tallest/shortest largely/hardly common/rare rarely/often frequently/seldom acquired/sold comedy/tragedy
senior/junior""".split()
ANTONYMS = {one: other for pair in _PAIRS for one, other in (pair.split("/"), pair.split("/")[::-1])}
"""Each word and its opposite."""

_COMPARISONS = """over/under greater/smaller greater/less bigger/smaller taller/shorter taller/smaller heavier/lighter
wider/narrower broader/narrower deeper/shallower farther/nearer further/nearer hotter/colder warmer/colder
richer/poorer thicker/thinner stronger/weaker faster/slower newer/older better/worse brighter/fainter
more/fewer tallest/smallest biggest/smallest greatest/smallest heaviest/lightest widest/narrowest deepest/shallowest
hottest/coldest warmest/coldest richest/poorest strongest/weakest fastest/slowest newest/oldest brightest/faintest
most/fewest rose/fell gained/lost rises/falls""".split()
OPPOSITES: dict[str, tuple[str, ...]] = {}
"""Each word and all of its opposites, those of comparison among them, the likeliest first."""
for _one, _other in [*ANTONYMS.items(), *(pair.split("/") for pair in _COMPARISONS)]:
    OPPOSITES[_one] = tuple(dict.fromkeys((*OPPOSITES.get(_one, ()), _other)))
    OPPOSITES[_other] = tuple(dict.fromkeys((*OPPOSITES.get(_other, ()), _one)))
