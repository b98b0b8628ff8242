"""Words that a computation accounts for: those that say nothing alone, those of an operation, those around a number."""

from __future__ import annotations

from veritab.text import stem


def _stems(line: str) -> frozenset[str]:
    return frozenset(map(stem, line.split()))


IDLE_STEMS = _stems(
    """a an the of in on at by for from with to into during as is are was were be been being has have had having do does
    did it its he she they his her their him them this that these those which who whom whose where when there and s
    while out up also own within among here then list listed number come came get got yet ever altogether
    respectively just exactly contain contained include included make made account accounted serve served offer offered
    feature featured comprise comprised consist belong belonged go goes went rise lie lay stand stood stretch stretched
    take took need needed date dated show shown use used give gave keep kept selected main famous
    present another credit credited supply supplied send sent mean meant recorded given provide provided world
    content receive received collect collected hand handed already table what count counted sit through along measure
    measured you can involve involved"""
)
"""Words that say nothing by themselves, so that no program needs to account for them."""
LASTING_STEMS = _stems(
    "live lived last lasted hold held stay stayed serve served reign reigned rule ruled govern governed remain remained"
    " spend spent office work worked long"
)
"""Words that say no more than that something went on for a time."""
LEADING_STEMS = _stems("preside presided lead led head headed")
"""As much, of those who are at the head of something."""
LEADING_VERBS = _stems("preside presided lead led head headed direct directed manage managed conduct conducted charge")
"""Verbs that say no more than that somebody is the leader that a header names."""
LEADER_STEMS = _stems(
    """president chair chairman chairwoman chairperson director head leader minister premier chancellor mayor governor
    king queen emperor ruler monarch principal manager coach captain conductor rector dean bishop pope secretary
    commander warden editor lead superintendent"""
)
"""Words of headers and titles for those who are."""
EVENT_STEMS = _stems("opening closing opened closed launch launched built start began")
"""Words of headers for what is no life, reign or office, so that nobody reigned from one to the other."""
EVENT_LASTING_STEMS = _stems("last lasted stay stayed remain remained hold held")
PERIOD_START_STEMS = _stems("from start started begin began since")
PERIOD_END_STEMS = _stems("to end ended until till left")
"""Words of headers for the dates between which something lasts, whatever it is."""
BEGINNING_STEMS = _stems("become became begin began start started take took enter entered")
ENDING_STEMS = _stems("until till end ended cease ceased leave left resign resigned step stepped down quit")
"""Verbs that say no more than that a time began or ended at a date."""
KIND_STEMS = _stems(
    """person people man men woman women player team club side city town village municipality district county country
    nation state region island river lake mountain peak building tower bridge school college university album single
    song track film movie show episode series book game match race event edition season year day month time place
    company party candidate member element language species station line ship car engine model species title work
    thing item"""
)
"""Words for kinds of things, which a claim puts before or after a name: "the river Rhine", "the Rhine river"."""
HEDGES = _stems("about around roughly approximately approx circa some almost nearly near close")
"""Words before a number that make it a rough one."""
HEDGES_BELOW = _stems("almost nearly")
"""Words before a number that is not quite reached."""
SLIGHTLY = _stems("slightly little bit just")
"""Words before "more than" or "under" by which a limit is hardly passed."""
FAR_BEYOND = _stems("well considerably significantly")
"""Words before "more than" or "under" by which a limit is passed by much."""
VAGUE_DEGREES = _stems("slightly somewhat a bit little much far considerably significantly well way")
"""Words that say only vaguely by how much."""
RELATING_STEMS = _stems(
    """more less fewer over under above below at least most than up to no not before after since until till from between
    and onward exceed exceeded exceeding exactly just only a an the of prior in by into total as many high low low long
    barely within upward"""
)
"""Words before a number that say how a value relates to it."""
TEMPLATE_STEMS = {
    "sum": _stems(
        "total totalled sum summed combined altogether together overall aggregate add added adding put taken told all"
        " between would end"
    ),
    "stretch": _stems("total totalled sum combined altogether together overall added taken told all would"),
    "sum change": _stems("total altogether together overall combined all told more fewer less than between"),
    "compare sum": _stems("total sum combined altogether together overall put than"),
    "compare rest": _stems("total sum combined altogether together put than all any other rest rival remaining next"),
    "share": _stems("percent cent half third quarter majority share proportion"),
    "share of sum": _stems(
        "percent cent half third quarter majority share proportion all alone combined together total between"
    ),
    "share given": _stems("percent cent half third quarter majority share proportion together combined"),
    "count": _stems("exactly total number time only just different all altogether"),
    "distinct": _stems("different distinct separate number various"),
    "ratio": _stems("between time twice double doubled triple tripled quadrupled half halved as many much than more"),
    "only": _stems("only sole alone just"),
    "only one": _stems("only sole alone just single"),
    "these": _stems("only both"),
    "same": _stems("same identical equal both share shared"),
    "all same": _stems("same identical equal both all share shared"),
    "both same": _stems("same identical equal both all"),
    "all different": _stems("each different distinct separate all"),
    "differ": _stems("different distinct separate"),
    "every": _stems("all every each both"),
    "each": _stems("all each both"),
    "both lookups": _stems("both each"),
    "most": _stems("most majority mostly"),
    "no": _stems("any other no not none never nor neither didn doesn wasn isn weren haven hasn cannot t"),
    "trend": _stems("increase increased rise rose grew fell decrease decreased decline declined"),
    "steady": _stems(
        "every each single after on by increase increased rise rose risen grew grown climbed gained fell fallen"
        " declined decreased decrease dropped shrank sank lost went up down between"
    ),
    "difference": _stems("difference margin gap between than apart differ differed"),
    "column difference": _stems("difference margin gap between than"),
    "full": _stems("all every each single"),
    "time between": _stems("passed elapsed lay between"),
    "margin": _stems("win won victory lead margin"),
    "all but": _stems("all every each but except bar for"),
    "spread": _stems("difference gap range spread separate separated apart between than"),
    "change": _stems(
        "than higher lower more less fewer larger smaller greater saw see"
        " by increase increased increasing rise rose risen grew grown growth climbed gained fell fall fallen declined"
        " decline decreased decrease dropped drop shrank sank reduced between up down gain lost lose"
    ),
    "count ratio": _stems("time twice double triple half as many than more"),
    "count difference": _stems("than more fewer less"),
    "commonest": _stems("most common often frequent frequently"),
    "among top": _stems("one among all any"),
    "top": _stems("all any"),
    "named top": _stems("all any"),
    "top value": _stems("all any"),
    "mean": _stems("average averaged mean averaging each apiece"),
}
"""The words by which a claim asks for each kind of program."""
UNSPARABLE_STEMS = _stems(
    """all any each every both either neither no not never none only most least half twice double except but without
    beat defeated lost won average mean total combined together between one two three four five six seven eight nine ten
    first second third last if almost estimated expected planned projected forecast rate share per daily weekly monthly
    annual yearly cause because due"""
)
"""Words that make another claim of a comparison, so that none of them may be left out."""
LEVEL_STEMS = _stems(
    """mean average median highest lowest maximum minimum max min strongest peak per each rate share level temperature
    price index rank price score speed pressure humidity density"""
)
"""Words of headers for what does not add up over rows or times."""
VAGUE_DIRECTIONS = _stems("final record peak top beat followed follow since already initial")
"""Words that may order things, and mostly do not: the final of a cup, the top ten."""
UNSAFE_SYNONYMS = {
    "year": _stems("open opened found founded appear appeared publish old new when first last"),
    "opponent": _stems("beat defeated lost won"),
    "date": _stems("first last"),
    "from": _stems("became become took"),
    "attendance": _stems("people fan"),
    "name": _stems("player"),
    "time": _stems("last lasted"),
    "total": _stems("all medal"),
}
"""Words by which a claim may name a column, but by which it mostly says more than the column does."""

ACCOUNTED_SYNONYMS = {
    header: _stems(line)
    for header, line in {
        "role": "play played portray portrayed appear appeared",
        "character": "play played portray portrayed appear appeared",
        "actor": "appear appeared play played",
        "cast": "appear appeared",
        "player": "appear appeared",
        "vote": "win won poll polled receive received take took gain gained drew voting",
        "goal": "score scored hit net netted scorer scoring",
        "point": "score scored collect collected earn earned finish finished end ended",
        "medal": "win won take took",
        "gold": "win won take took",
        "silver": "win won take took",
        "bronze": "win won take took",
        "title": "win won champion championship",
        "winner": "win won winning champion victory",
        "champion": "win won winning winner",
        "opening": "open opened door",
        "population": "live lived home inhabitant resident people count counted populous populated citizen census",
        "pop": "live lived home inhabitant resident people count counted populous populated citizen population",
        "time": "run ran clock clocked finish finished swim swam ride rode",
        "speed": "run ran sail sailed fly flew reach reached fast",
        "length": "long measure measured run ran last lasted running",
        "duration": "last lasted long run ran running",
        "height": "tall high stand stood rise measure measured",
        "elevation": "tall high stand stood rise lie",
        "area": "cover covered large big size",
        "founded": "found founding establish established exist existed",
        "disbanded": "exist existed fold folded",
        "established": "found founded exist existed",
        "born": "birth",
        "died": "death die",
        "ascent": "climb climbed conquer conquered reach reached summit scale scaled",
        "performance": "perform performed premiere premiered hear heard stage staged put",
        "premiere": "premiered perform performed performance hear heard stage staged put",
        "discovery": "find found spot spotted known know knew",
        "discoverer": "find found spot spotted",
        "discovered": "find found spot spotted known know knew",
        "diameter": "across wide measure measured",
        "melting": "melt melted liquid turn turned become became",
        "tributary": "flow flowed join joined",
        "built": "build building construct constructed",
        "builder": "build built",
        "shipyard": "build built",
        "completed": "finish built complete completion",
        "launched": "launch",
        "college": "attend attended from",
        "location": "hold held stand stood lie locate located site place venue",
        "venue": "play played hold held ground stadium",
        "ground": "play played home",
        "capacity": "seat hold",
        "attendance": "crowd attend attended attract attracted watch watched draw drew spectator",
        "director": "direct directed",
        "author": "write wrote written",
        "producer": "produce produced",
        "writer": "write wrote written",
        "appointed": "appoint become became put charge take took",
        "inducted": "induct",
        "peak": "reach reached peaked hit chart charted",
        "position": "finish finished reach reached place placed chart charted",
        "pos": "finish finished place placed",
        "rank": "rank ranked place placed",
        "result": "finish finished end ended",
        "seat": "win won take took hold held",
        "weight": "weigh weighed heavy",
        "mass": "weigh weighed heavy",
        "depth": "deep",
        "age": "old aged run ran",
        "gross": "gross grossed earn earned take took make made",
        "price": "cost sell sold",
        "cost": "spend spent price bill",
        "capital": "capital govern governed",
        "period": "orbit circle circled once round around trip",
        "loan": "lend lent borrow borrowed",
        "unit": "sell sold",
        "sale": "sell sold",
        "composer": "write wrote written compose composed",
        "viewer": "audience watch watched draw drew",
        "death": "kill killed die died",
        "distance": "away far",
        "winning": "win won",
        "fee": "transfer transferred",
        "language": "speak spoken spoke",
        "spoken": "speak spoke language",
        "km": "long",
        "founder": "found founded",
        "magnitude": "bright faint",
        "wait": "waited waiting",
        "since": "running run",
        "run": "ran",
        "sold": "sell",
        "spent": "spend cost",
        "seen": "see saw",
        "caught": "catch",
        "cinema": "see show shown screen screened",
        "film": "see show shown screen screened",
        "arrival": "arrive arrived turned",
        "harbour": "harbor",
        "fixed": "fix put right cure cured",
        "estimate": "put estimated",
        "without": "lost lose lack lacked",
        "passenger": "pass passed use used",
        "noise": "loud",
        "revenue": "yield bring brought raise raised",
        "budget": "expect expected budgeted plan",
        "planned": "plan",
        "appearance": "part play played appear appeared",
        "against": "let concede conceded",
        "drawn": "drew draw",
        "lost": "beat beaten defeat defeated loss",
        "subject": "study studied",
        "opera": "write wrote written compose composed",
        "symphony": "write wrote written compose composed",
        "opened": "open opening door",
        "translated": "done complete translation translate",
        "sample": "bring brought home back return returned collect collected",
        "bike": "bicycle",
        "bicycle": "bike bikes traffic",
        "headquarters": "base based",
        "base": "based",
        "depot": "base based",
        "average": "mean",
        "mean": "average averaged",
        "minimum": "fall fell drop dropped sank",
        "lowest": "fall fell drop dropped sank",
        "maximum": "peak peaked reach reached",
        "highest": "peak peaked reach reached",
        "strongest": "peak peaked reach reached",
        "performed": "perform performance premiere premiered hear heard stage staged",
        "color": "turn turned colour",
        "colour": "turn turned color",
        "complaint": "draw drew attract attracted",
        "candidate": "sit sat take took enter entered exam",
    }.items()
}
"""Words that say no more than that something has a value in a column, by a word of its header."""
