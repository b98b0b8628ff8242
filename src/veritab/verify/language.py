"""Tells claims in other languages from English ones, and mere letters from words: the models read English alone.

A language is told by its small words. Names and titles bring foreign small words into English claims ("Rio de Janeiro",
"La La Land"), so one is found only where they outnumber the English ones by far.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

from veritab.decompose.parts_of_speech import may_be_finite
from veritab.decompose.verbs import is_always_finite, is_noun_or_verb, is_past_or_participle, is_plural_present
from veritab.schema import Reason, Unsettled
from veritab.text import STOP_WORDS, tokenize

OTHER_SCRIPT = Unsettled(Reason.OTHER_SCRIPT, "the model reads English; the claim is written in another script")

_WORD = re.compile(r"[^\W\d_]+")
_ALSO_ENGLISH = frozenset(
    """against among andre around became become began between bio born bride built by called capital care city
    club com come country daily dan data den der die dog door due dues end era ever fast film final fire
    first former found free gave got grand had hat high home known land last later let lies life like long
    made make man many may med men mere met million mode most music must name near never new nine non now
    number old on one open order outro par part pays people per pet place plan plus pop pour premier private
    pro rot said sale sans second sense sex sin since sit six son song state still sur tale ten than three
    till time times tour two under upon van via von war went whose win won work world year years""".split()
)
"""Words of other languages that are English too or stand in names, and words that English claims often have."""

_LANGUAGES = {
    "German": """
        aber acht alle als am an andere auch auf aus bei bis das dass daß dem den der des die diese dieser dieses
        drei dritte durch ein eine einem einen einer eines einige einmal er ersten es fünf fünfmal für geboren gegen
        gewonnen gibt größer größte haben hat hatte hauptstadt höchste höher ich ihr ihre ihrer im in ist jahr jahre
        jahren jahrhundert kann kein keine liegt man mehr mit nach neun nicht noch nur oder ohne schon sechs sehr
        sein seine seiner seit sich sie sieben sind so stadt um und unter viel viele vier vom von war waren weil
        wenn werden wie wir wird wurde wurden zehn zu zum zur zwei zweimal zweite zwischen älter über""",
    "French": """
        a année années ans après au aucune aussi autre autres aux avait avant avec beaucoup c capitale ce ces cette
        chez cinq comme d dans de depuis dernier des deux deuxième dix dont du elle elles en entre est et fait fois
        fut gagné grand grande huit il ils j l la le les leur leurs mais monde mort n ne neuf nous né née ont ou où
        par pas pays peut plus pour premier première qu quatre que quelques qui reçu s sa sans second selon sept ses
        six siècle son sont sous sur tous toute trois troisième très un une ville vous y étaient était été être""",
    "Spanish": """
        al algunos año años capital cinco ciudad como con cuando cuatro de del desde diez donde dos el en entre era
        eran es esta este estos está están fue fueron ganado ganó ha había han hasta hay la las lo los muchas mucho
        muchos mundo murió muy más nacido nació no nueve o ocho otra otro para parte país película pero por primera
        primero que quien se segunda segundo según seis ser siete siglo sin sobre son su sus también tenía tercera
        tiene todos tres un una unas unos veces y""",
    "Italian": """
        a agli ai al alcuni alla alle altra altri altro anche anni anno aveva capitale che ci cinque città come con
        da dagli dai dal dalla dalle degli dei del della delle dello di dieci dopo due e ed era erano essere fra fu
        furono gli grande ha hanno i il in la le lo ma mai molte molti molto mondo morì nacque nato negli nei nel
        nella nelle nello non nove o otto paese per più prima quattro questa questo regione secolo secondo sei sette
        si sono stata stato su sua sul sulla suo suoi terza tra tre tutti un una uno vinto volte è""",
    "Portuguese": """
        a alguns ano anos ao aos as até capital cidade cinco com como da das de desde dez do dois dos duas e em
        entre era eram esta este está filme foi foram ganhou há já maior mais mas morreu morte muitas muito muitos
        mundo na nas nasceu no nos nove não o oito onde os ou outra outro para país pela pelo por primeira primeiro
        quando quatro que se segunda segundo seis sem ser sete seu seus sobre sua suas são século também tem
        terceira tinha todos três têm um uma umas uns vezes à às é""",
    "Dutch": """
        aan acht alle als andere bij dan dat de derde deze die dit door drie een eerste eeuw en enkele er geboren
        geen gewonnen grootste groter haar had hebben heeft het hij hoger hoofdstad hoogste hun in is jaar jaren
        keer land landen ligt maar meer meest met na naar negen niet nog nooit of om onder ook op over overleden
        stad steden te tien tot tussen twee tweede uit uitgebracht van veel vier vijf voor waren was wel werd werden
        wereld wij won wordt ze zes zeven zich zij zijn""",
    "Swedish": """
        aldrig alla andra annan att av blev blir de den denna det detta dog efter eller en ett fem finns från fyra
        föddes för före första genom gånger hade han har hon hos huvudstad högre högsta i inte kan land ligger med
        mellan men mer mest mot mycket många nio när några och också om på sedan sex sin sina sitt sju ska som stad
        större största till tio tre tredje två under vann var vid världen än är år åren åtta över""",
    "Danish": """
        af anden at blev bliver by de den denne det dette efter eller en end er et fem fire for fra før første
        gennem han har havde hos hovedstad hun højere højeste i ikke kan ligger mange med mellem men mere mest mod
        ni nogle når og også om otte over på seks sin sine sit skal som større største syv ti til to tre tredje
        under var ved verden verdens år""",
    "Norwegian": """
        andre at av ble blir by de den denne det dette ei eller en enn er et etter fem fire for fra før første
        gjennom hadde han har hos hovedstad hun høyere høyeste i ikke kan ligger mange med mellom men mer mest mot
        ni noen når og også om over på seks sin sine sitt sju skal som større største ti til to tre tredje under var
        ved verden verdens år åtte""",
    "Finnish": """
        alle asuu ei eivät ennen ensimmäinen että hän ja joista joka jonka jos jossa jotka jälkeen kahdeksan kaikki
        kaksi kanssa kaupunki kertaa kolmas kolme kolmessa korkeampi korkein kuin kun kuoli kuusi kymmenen maa
        maailman mitään monta mutta muu myös ne neljä niin noin oli olivat ollut on ovat paljon pääkaupunki se
        seitsemän sekä sijaitsee suomen suurempi suurin syntyi tai toinen tuhatta tämä viisi voitti vuoden vuonna
        vuosina vuotta välillä yhdeksän yksi yli""",
    "Polish": """
        ale był była było były będzie cztery dla do drugi dwa dwie dziesięć dziewięć i ich inne jak jego jej jest
        kraj która które który lat lub miasto miał miała między na nad największa największy najwyższa najwyższy nie
        nigdy niż o od oraz osiem osób pierwszy pięć po pod ponad przed przez przy razy rok roku siedem się stolica
        stolicą sześć są ta tak także te ten to trzeci trzy tysiące urodził urodziła w we wieku wiele więcej większy
        wszystkie wyższy z zdobył ze zmarł został świata że""",
    "Czech": """
        a ale bude byl byla byli bylo deset devět do druhý dva hlavní jak je jeho jejich její jsou která které který
        let mezi mnoho má město na nad narodil ne nebo nejvyšší největší než o od osm po pod pro první pět před přes
        při rok roku se sedm století světa ta tak také ten to třetí tři v ve vyhrál vyšší více větší z ze země čtyři
        šest že""",
    "Hungarian": """
        a aki alatt amely ami az azt de egy első előtt ez ezt fővárosa harmadik hat hogy három hét is kilenc két
        között legmagasabb legnagyobb lesz lett magasabb meg mellett mint második nagyobb nem nyerte nyolc négy
        ország sok szerint született tíz több után vagy van világ volna volt voltak város és évben éves öt""",
    "Romanian": """
        a al ale ani anul au ca care cea cei cel cele cinci cu câștigat că dar de decât din doi doua două după ei
        era erau este fi foarte fost la lui lume mai mare multe nouă nu născut o opt oraș patru pe pentru primul
        prin sau se secolul sub sunt trei treia un unei unui zece în înainte între șapte șase și țară""",
    "Turkish": """
        alan altı arasında başka başkenti beş binden bir bu büyük da daha de değil dir dokuz doğdu dört dünya
        dünyanın dır en fazla gibi hiçbir iki ikinci ile ilk ise için kadar kazandı kez ki mi nin nüfusu o olan
        olarak oldu olduğu olmuştur on sekiz sonra tarafından tek türkiye vardı vardır ve veya yedi yok yüksek yıl
        yılında çok öldü önce ülke üzerinde üç üçüncü şehir şu""",
    "Catalan": """
        al als amb any anys aquest aquesta ciutat com de del dels des dos dues el els en entre era eren fins gran ha
        han i la les molt més món no o país per però que segons sense seu seva sobre són també tres un una va van és""",
    "Croatian": """
        ali bila bili bilo bio da do dva glavni godina godine grad i ili iz između je kao koja koje koji kroz na nad
        najveći najviši ne nego njegov o od osvojio pet po pod pred pri prvi rođen s sa se su svijeta ta taj također
        to tri u veći više viši za zemlja četiri""",
    "Indonesian": """
        adalah akan antara atau bukan dalam dan dari dengan di dua dunia empat ialah ini itu juga karena ke kota
        lebih lima negara oleh pada paling pertama sebagai seperti sudah tahun telah terbesar tertinggi tidak tiga
        untuk yang""",
    "Latin": """
        ab ad adipiscing aliqua amet aut consectetur cum dolor dolore eiusmod elit erat est et ex in incididunt
        ipsum labore lorem magna non per quae qui quod sed sit sunt tempor ut""",
}
_WORDS_OF = {name: frozenset(words.split()) for name, words in _LANGUAGES.items()}
_IN_NAMES = frozenset(
    """a ad al c d da das de del della den der des di do dos du e el en et ex i il j l la las le les lo los n o
    s sub u y zu zum zur""".split()
)
_LEAST = 2
_MANY = 6
_FAR = 3

_VOWELS = frozenset("aeiouyäöüåæøœáàâãéèêëíìîïóòôõúùûı")
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")
_SEQUENCES = frozenset(row[at : at + 4] for row in _KEYBOARD for at in range(len(row) - 3))
_CONSONANTS_IN_A_ROW = 6
_SHORTEST = 3
_OFTEN = 3
_END_OF_SENTENCE = re.compile(r"[.!…][\"'”’»)\]\s]*$")


def other_language(name: str) -> Unsettled:
    """That a claim in this language cannot be read, whatever language the corpus is in."""
    text = f"the claim seems to be in {name}, and the models read English, in corpora too; put it in English"
    return Unsettled(Reason.OTHER_LANGUAGE, text)


class _Weight(NamedTuple):
    """How many words of a text are of a language and not English, of these how many are common in names, and how many
    small words are English and not of it."""

    own: int
    in_names: int
    english: int

    @property
    def foreign(self) -> float:
        """The words that count; those that stand in names count little, however many there are."""
        return self.own + min(self.in_names, 2) / 2

    @property
    def lead(self) -> float:
        return self.foreign - _FAR * self.english


def find_language(text: str) -> str:
    """The language other than English that a text is written in; empty where it is English, or too short to tell."""
    spelled = _WORD.findall(text)
    # Names begin with a capital, but so does the first word of any sentence.
    small = frozenset(word.lower() for place, word in enumerate(spelled) if not place or word.islower())
    weights = {name: _weigh(small, own) for name, own in _WORDS_OF.items()}
    name, weight = max(weights.items(), key=lambda each: each[1].lead)
    is_long = len(spelled) >= _MANY or any(not word.isascii() for word in spelled if word.islower())
    is_bare = not weight.english and small.isdisjoint(_ALSO_ENGLISH - _WORDS_OF[name])
    is_enough = weight.foreign >= _LEAST or (is_bare and is_long and weight.own > 0)
    return name if is_enough and weight.lead > 0 else ""


def _weigh(small: frozenset[str], own: frozenset[str]) -> _Weight:
    foreign = small & own - STOP_WORDS - _ALSO_ENGLISH
    in_names = len(foreign & _IN_NAMES)
    return _Weight(len(foreign) - in_names, in_names, len(small & STOP_WORDS - own))


def is_latin(text: str) -> bool:
    """Whether half of the letters or more are Latin, as those of names in a claim need not be."""
    letters = Counter(filter(str.isalpha, text))
    latin = sum(times for letter, times in letters.items() if "LATIN" in unicodedata.name(letter, ""))
    return 2 * latin >= letters.total()


def is_gibberish(text: str) -> bool:
    """Whether most words of a text are no words of any language, keys hit at random, or all of them are one word."""
    found = [word for word in _WORD.findall(text) if len(word) >= _SHORTEST]
    if len(found) >= _OFTEN and len(set(map(str.casefold, found))) == 1:
        return True
    random = sum(_is_random(word.casefold()) for word in found if not word.isupper())
    return 2 * random > len(found)


def is_word_list(text: str) -> bool:
    """Whether a text strings words together that state nothing: small words alone, or none, no number and no verb."""
    if not is_latin(text):  # the verbs of other scripts are not known
        return False
    tokens = tokenize(text)
    found = [token.lower for token in tokens if token.is_word]
    if STOP_WORDS.issuperset(found):
        return True
    if _END_OF_SENTENCE.search(text) or not STOP_WORDS.isdisjoint(found) or any(map(str.isdigit, text)):
        return False
    is_verb = any(_is_finite_or_past(word) for word in found) or any(map(_may_be_present, found[1:]))
    return not is_verb and not any(may_be_finite(tokens, place) for place in range(len(tokens)))


def _is_finite_or_past(word: str) -> bool:
    return is_always_finite(word) or is_past_or_participle(word) or word.endswith("ed")


def _may_be_present(word: str) -> bool:
    return is_noun_or_verb(word) or is_plural_present(word)


def _is_random(word: str) -> bool:
    if not word.isascii() and not is_latin(word):
        return False
    repeated = len(set(word)) == 1
    runs = "".join(" " if letter in _VOWELS else letter for letter in word).split()
    consonants = max(map(len, runs), default=0)
    return (
        repeated
        or consonants >= _CONSONANTS_IN_A_ROW
        or (len(word) > _SHORTEST and consonants == len(word))
        or any(word[at : at + 4] in _SEQUENCES for at in range(len(word) - 3) if len(word) <= 12)
    )
