"""Questions with their answers become claims that hold the answer, or are refused with a reason."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from veritab.build.questions.conversion import Conversion, convert, convert_all
from veritab.build.questions.enumeration import MOST_READINGS, list_readings
from veritab.build.questions.normal_form import loose_form, normal_form
from veritab.build.questions.ranking import LinearRanker, ModelRanker, ReadQuestion, asked_text
from veritab.build.records import AnsweredQuestion, LeftOut
from veritab.models.candidates import CandidateScore, CandidateText
from veritab.processes import WorkerProcesses

pytest.importorskip("lemminflect")

CLAIMS = [
    # who and what, as subject
    ("who painted the night watch", "Rembrandt", "Rembrandt painted the night watch."),
    ("Who is the mayor of Gotham?", "Ann Lee", "Ann Lee is the mayor of Gotham."),
    ("who has climbed everest most often", "Kami Rita", "Kami Rita has climbed everest most often."),
    ("who does the cooking on the show?", "Paul", "Paul does the cooking on the show."),
    ("what causes tides in the ocean", "the moon", "the moon causes tides in the ocean."),
    ("Which river flows through Vienna?", "the Danube", "The Danube flows through Vienna."),
    # the auxiliary goes back to its verb
    ("when did the lighthouse open to visitors?", "1983", "the lighthouse opened to visitors in 1983."),
    ("when did the second season come out in canada", "March 3, 2011", "the second season came out in canada on March 3, 2011."),
    ("where was the treaty signed", "Lisbon", "the treaty was signed in Lisbon."),
    ("where does the story take place?", "Iceland", "the story takes place in Iceland."),
    ("Who did Ann Lee marry in 1950?", "Tom Poe", "Ann Lee married Tom Poe in 1950."),
    ("when was the bridge built", "the 1930s", "the bridge was built in the 1930s."),
    ("when will the new station open", "2031", "the new station will open in 2031."),
    # prepositions in front, stranded, and in the answer
    ("In what year was the club founded?", "1899", "The club was founded in 1899."),
    ("Who was the opera written by?", "Ann Lee", "The opera was written by Ann Lee."),
    ("who did she play for before arsenal?", "Leeds", "she played for Leeds before arsenal."),
    ("where do bats sleep", "in caves", "bats sleep in caves."),
    # counts, amounts, measures
    ("how many moons does mars have", "two", "mars has two moons."),
    ("how many seasons are there of the show?", "8", "there are 8 seasons of the show."),
    ("how many people live in the valley?", "300", "300 people live in the valley."),
    ("how much does the ticket cost", "$12", "the ticket costs $12."),
    ("how old was ann lee when she died?", "91", "ann lee was 91 when she died."),
    ("how many golds has brazil won?", "10", "brazil has won 10 golds."),
    ("how many times has nigel mansell been the winner?", "2", "nigel mansell has been the winner 2 times."),
    ("how many films has neha sharma been in?", "6", "neha sharma has been in 6 films."),
    ("how many films are in telugu?", "1", "1 film is in telugu."),
    ("how many episodes in season 3 of the show", "10", "there are 10 episodes in season 3 of the show."),
    ("how far is poeville from leeds in miles?", "30", "poeville is 30 miles from leeds."),
    ("how long is the tunnel?", "9 km", "the tunnel is 9 km."),
    # whose, in place, elliptical, adjunct first
    ("whose dog won the race", "Ann Lee", "Ann Lee's dog won the race."),
    ("the club was founded in what year?", "1899", "the club was founded in 1899."),
    ("The largest lake in the country is?", "Lake Poe", "Lake Poe is the largest lake in the country."),
    ("capital of the province", "Poeville", "Poeville is the capital of the province."),
    ("In 1983, who won the cup?", "Leeds", "In 1983, Leeds won the cup."),
    ("what is the population of the village?", "1,204", "the population of the village is 1,204."),
    ("What's the highest peak in the range called?", "Mount Poe", "The highest peak in the range is called Mount Poe."),
    ("In 2019, number of refineries in the country?", "135", "In 2019, the number of refineries in the country was 135."),
    ("name the largest lake in the country", "Lake Poe", "Lake Poe is the largest lake in the country."),
    # the answer says the noun, or is one of several
    ("What band sang the anthem?", "The Poe Band", "The Poe Band sang the anthem."),
    ("who were the original members of the band", "Ann Lee", "Ann Lee was one of the original members of the band."),
    ("After what event did they come back?", "jury duty", "They came back after jury duty."),
    # slips, particles and participles
    ("When did the drinking age changed to 21?", "1961", "The drinking age changed to 21 in 1961."),
    ("When did the governor get sworn in?", "January 19, 2010", "The governor got sworn in on January 19, 2010."),
    ("when was the last time the brewers played in the series", "1982", "the last time the brewers played in the series was in 1982."),
    ("When was the hall originally built?", "1853", "The hall was originally built in 1853."),
    ("who's made the most money out of the show", "Ann Lee", "Ann Lee has made the most money out of the show."),
    ("who's got the ball", "Ann Lee", "Ann Lee has got the ball."),
    ("whos the poe in the play", "Ann Lee", "Ann Lee is the poe in the play."),
    ("1. what was the first lighthouse", "Pharos", "Pharos was the first lighthouse."),
    ("when did the ship hector arrived in poeville", "1773", "the ship hector arrived in poeville in 1773."),
    ("when did the band formed on x factor", "2010", "the band formed on x factor in 2010."),
    ("when was the play first performed", "1603", "the play was first performed in 1603."),
    ("who does the voice of the bear in the 2006 film?", "Ann Lee", "Ann Lee does the voice of the bear in the 2006 film."),
    ("who wrote the song i'll take you there", "Ann Lee", "Ann Lee wrote the song i'll take you there."),
    # the preposition that the verb or the answer wants
    ("where does blood go when it leaves the heart", "the lungs", "blood goes to the lungs when it leaves the heart."),
    ("where did ann lee go to college", "Poe Hall", "ann lee went to college at Poe Hall."),
    ("who did ann lee play for last year", "Leeds", "ann lee played for Leeds last year."),
    ("what village do they live in in the film", "Poeville", "they live in Poeville in the film."),
    ("what house do they live in, in the film", "the mill", "they live in the mill in the film."),
    ("when does the shop open in leeds", "09:15", "the shop opens in leeds at 09:15."),
    ("when did the star form", "4 billion years ago", "the star formed 4 billion years ago."),
    ("when does the fair end", "the last Sunday in May", "the fair ends on the last Sunday in May."),
    ("when did ann lee leave", "once it rained", "ann lee left once it rained."),
    ("why did the oil rise", "capillary action", "the oil rose because of capillary action."),
    ("why did ann lee stay", "she had promised", "ann lee stayed because she had promised."),
    ("why did the dam open", "to let the water out", "the dam opened to let the water out."),
    ("how did the family make their fortune", "gunpowder", "the family made their fortune from gunpowder."),
    ("how do they clean the tower", "steam", "they clean the tower by steam."),
    ("what year is the first part of the play set in", "1984", "the first part of the play is set in 1984."),
    ("who are the actors of the show", "Jim Parsons", "Jim Parsons is one of the actors of the show."),
    # two verbs, an object with its name
    ("how long do you have to serve in the army", "two years", "you have to serve two years in the army."),
    ("how many games does a team have to win to be champion", "5", "a team has to win 5 games to be champion."),
    ("what age do you have to be to buy a gun in leeds", "21", "you have to be 21 to buy a gun in leeds."),
    ("what do you call a baby kangaroo", "joey", "you call a baby kangaroo joey."),
    # statements without their end, titles, quizzes
    ("the model is a program that emphasizes", "re-education", "the model is a program that emphasizes re-education."),
    ("the cell is an example of a", "neuron", "the cell is an example of a neuron."),
    ("a tower in leeds is sinking", "Poe Hall", "Poe Hall is a tower in leeds that is sinking."),
    ("the trail ended in this state", "Utah", "the trail ended in Utah."),
    ("season when it rains a lot in the south", "the monsoon", "the monsoon is the season when it rains a lot in the south."),
    ("the clock tower season 4 how many episodes", "10", "the clock tower season 4 has 10 episodes."),
    ("the clock tower when will ann leave", "in May", "the clock tower: ann will leave in May."),
    ("the club is in which english city", "Leeds", "the club is in Leeds."),
    ("which of the following worms feeds on blood", "hookworm", "hookworm feeds on blood."),
    # what is denied
    ("who can't swim", "Ann Lee", "Ann Lee can't swim."),
    ("what didn't the senate approve in 1919", "the treaty", "the senate didn't approve the treaty in 1919."),
    ("what happened to the town after the war", "destroyed by fire", "the town was destroyed by fire after the war."),
    # yes, no, and a choice
    ("did the club win the cup in 1983?", "yes", "the club won the cup in 1983."),
    ("Is the tower open to visitors?", "No", "The tower is not open to visitors."),
    ("Isn't Leeds a city?", "yes", "Leeds is a city."),
    ("can penguins fly", "no", "penguins cannot fly."),
    ("has the club ever won the cup?", "no", "the club has never won the cup."),
    ("has the club ever won the cup?", "yes", "the club has won the cup."),
    ("did the club ever win the cup?", "no", "the club never won the cup."),
    ("were there ever wolves in the valley", "no", "there were never wolves in the valley."),
    ("is the tower usually open to visitors", "no", "the tower is not usually open to visitors."),
    ("is it true that water boils at 100 degrees", "no", "it is not true that water boils at 100 degrees."),
    ("is a tomato a fruit or a vegetable?", "fruit", "a tomato is a fruit."),
    ("who won more cups, leeds or arsenal?", "arsenal", "arsenal won more cups."),
    ("which book came first the silver chair or the poe mill", "The Poe Mill", "The Poe Mill came first."),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "claim"), CLAIMS)
def test_a_question_and_its_answer_become_the_claim_a_reader_would_write(
    question: str, answer: str, claim: str
) -> None:
    found = convert(question, answer)
    assert found.claim is not None, found.reason
    assert normal_form(found.claim) == normal_form(claim)
    assert 0 <= found.confidence <= 1


@pytest.mark.parametrize(("question", "answer", "claim"), CLAIMS)
def test_the_answer_stands_in_every_reading_and_readings_are_few_and_the_same_each_time(
    question: str, answer: str, claim: str
) -> None:
    readings = list_readings(question, answer)
    assert 0 < len(readings) <= MOST_READINGS
    assert len({reading.text for reading in readings}) == len(readings)
    assert readings == list_readings(question, answer)
    if answer.lower() not in ("yes", "no"):
        assert all(answer.lower() in reading.text.lower() for reading in readings)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("who won?", "", "no answer"),
        ("who won?", "  ", "no answer"),
        ("?", "Leeds", "no question"),
        ("who won?", "---", "neither letters nor digits"),
        ("captain of leeds ann lee", "Ann Lee", "in the question already"),
        ("Who won the cup? When did they win it?", "Leeds", "two questions in one"),
        ("When was the act passed, and what did it say?", "1701", "two questions in one"),
        ("кто выиграл кубок", "Leeds", "Latin letters"),
        ("どこで試合がありましたか?", "Leeds", "Latin letters"),
        ("who won " + "the cup " * 2500, "Leeds", "words; expected at most"),
        ("who won the cup", "Leeds " * 5000, "words; expected at most"),
        ("Do visitors need a ticket?", "visa not required", "neither yes, no"),
        ("when was the laptop introduced and by whom", "1980", "two questions in one"),
        ("Did the general not die on the island?", "no", 'with "not" in it'),
        ("is he not the king, or not?", "yes", 'with "not" in it'),
    ],
)
def test_what_cannot_become_a_claim_is_refused_with_the_reason(question: str, answer: str, reason: str) -> None:
    found = convert(question, answer)
    assert found.claim is None
    assert found.confidence == 0
    assert reason in found.reason


def test_a_claim_begins_with_a_capital_ends_with_a_full_stop_and_names_have_their_capitals() -> None:
    found = convert("when did frank sinatra first sing in new york", "the 1940s")
    assert found.claim == "Frank Sinatra first sang in New York in the 1940s."
    assert convert("what is the ending of the file", ".java").claim == ".java is the ending of the file."
    assert convert("who makes the phone", "eBay").claim == "eBay makes the phone."
    assert convert("who sang i don't like the us", "Ann").claim == "Ann sang I don't like the US."
    assert convert("who left on the 21st of may", "Ann").claim == "Ann left on the 21st of may."
    assert convert("where is the hall?", "The centre of town").claim == "The hall is in the centre of town."


def test_one_process_or_two_make_the_same_of_every_question() -> None:
    asked = [AnsweredQuestion("", str(place), each[0], (each[1],), {}) for place, each in enumerate(CLAIMS)]
    with WorkerProcesses(2) as engine:
        assert list(convert_all(asked, engine=engine)) == list(convert_all(asked))


def test_of_several_answers_the_first_is_taken_and_the_reason_says_so() -> None:
    found = convert("who won the cup in 1983", ["Leeds", "Leeds United"])
    assert found.claim == "Leeds won the cup in 1983."
    assert found.reason == "the first of 2 answers was taken"


def test_of_several_wordings_the_first_that_can_be_read_is_taken_and_the_reason_says_so() -> None:
    found = convert("Do they need a ticket?|Who won the cup?", "Leeds")
    assert found.claim == "Leeds won the cup."
    assert "2 wordings of one question" in found.reason


def test_an_answer_keeps_its_letters_where_the_question_has_it_inside_of_a_word() -> None:
    found = convert("where is the newark hall of new york", "new")
    assert found.claim is not None
    assert found.claim.endswith(" in new.")


def test_a_title_with_a_question_word_is_not_a_second_question() -> None:
    assert convert("who wrote fantastic beasts and where to find them", "Ann Lee").claim is not None


def test_an_answer_that_is_in_the_question_is_remarked() -> None:
    found = convert("who won the race between tom poe and ann lee", "Ann Lee")
    assert found.claim == "Ann Lee won the race between Tom Poe and Ann Lee."
    assert found.reason == "the answer is in the question already"


@pytest.mark.parametrize(
    "answer",
    [
        "senate ) would vote",
        "5.2 mi (8.4 km)",
        "December 15 , 1791",
        "53–50 (.515)",
        "D. W. Lee",
        "Tom Poe,",
        '"Ann" Lee',
        "東京",
    ],
)
def test_answers_with_brackets_dates_and_marks_are_kept_letter_by_letter(answer: str) -> None:
    found = convert("who decides the matter?", answer)
    assert found.claim is not None
    assert f"{answer[0].upper()}{answer[1:]}" in found.claim
    assert ("unpaired bracket" in found.reason) == (answer == "senate ) would vote")


@pytest.mark.parametrize(
    "question", ["who", "what?", "of which", "is", "how many", "when , ?", '"', "who or", "a | b", "( ) ?", "who's"]
)
def test_scraps_of_questions_give_a_claim_with_the_answer_or_a_reason(question: str) -> None:
    found = convert(question, "Leeds")
    assert (found.claim is None and found.reason) or (found.claim and "leeds" in found.claim.lower())


def test_lines_that_could_not_be_read_keep_their_place() -> None:
    lines: list[AnsweredQuestion | LeftOut] = [
        AnsweredQuestion("line 1", "a", "who won the cup", ("Leeds",), {}),
        LeftOut("line 2", "", "not JSON"),
        AnsweredQuestion("line 3", "c", "who lost the cup", (), {}),
    ]
    found = list(convert_all(lines))
    assert [each.where for each in found] == ["line 1", "line 2", "line 3"]
    assert [each.reason for each in found] == ["", "not JSON", "no answer"]
    assert found[0].as_dict() == {
        "id": "a",
        "claim": "Leeds won the cup.",
        "reason": "",
        "confidence": found[0].confidence,
    }


# -- rankers -----------------------------------------------------------------------------------------------


class Preferring:
    """A cross-encoder that likes one claim best, and notes what it was shown."""

    def __init__(self, claim: str) -> None:
        self.claim, self.seen = claim, list[tuple[str, CandidateText]]()

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]:
        self.seen.extend(claims_and_candidates)
        return [CandidateScore(9.0 if each.text == self.claim else -9.0) for _, each in claims_and_candidates]


def test_a_cross_encoder_chooses_among_the_readings_that_the_weights_put_first() -> None:
    question, answer = "when did the ferry to the island leave the harbour", "1983"
    other = list_readings(question, answer)[3].text
    model = Preferring(other)
    found = convert(question, answer, ModelRanker(model, shortlist=5))
    assert found.claim == other
    assert len(model.seen) == 5
    assert {claim for claim, _ in model.seen} == {asked_text(question, answer)}


def test_confidence_is_the_margin_of_the_ranker() -> None:
    class Fixed:
        def __init__(self, *scores: float) -> None:
            self.given = scores

        def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
            return [[*self.given, *([-50.0] * len(each.readings))][: len(each.readings)] for each in questions]

    def confidence(*scores: float) -> Conversion:
        return convert("when did the ferry leave the harbour", "1983", Fixed(*scores))

    assert confidence(3, 3).confidence == 0
    assert 0 < confidence(3, 2).confidence < confidence(3, 0).confidence < 1


def test_weights_that_are_given_replace_those_that_ship() -> None:
    readings = list_readings("where was the film shot", "Lisbon")
    ranked = LinearRanker({"cost": 1.0}).rank([ReadQuestion("", "", readings)])[0]
    assert ranked == [dict(each.features)["cost"] for each in readings]


# -- when two claims are the same --------------------------------------------------------------------------


def test_normal_forms_forget_case_articles_and_marks_and_loose_ones_tense_and_prepositions() -> None:
    assert normal_form("The Night Watch, by Ann.") == normal_form("night watch by ann")
    assert normal_form("He was in Rome.") != normal_form("He is in Rome.")
    assert loose_form("It opens in Rome.") == loose_form("It opened at Rome.")
    assert loose_form("It opened in Rome.") != loose_form("It closed in Rome.")
