"""Sentences that depend on earlier ones are made to stand alone where it is clear what they refer to."""

from __future__ import annotations

import pytest

from veritab.decompose import extract_claims
from veritab.decompose.extract import decontextualize

CLEAR = {
    "Riga is a city in Latvia. It has 600,000 inhabitants.": "Riga has 600,000 inhabitants.",
    "Riga is a city in Latvia. Its population fell in 1990.": "Riga's population fell in 1990.",
    "Riga is a city in Latvia. The city has 3 rivers.": "Riga has 3 rivers.",
    "Riga is a city in Latvia. The town's mayor is Ada Stern.": "Riga's mayor is Ada Stern.",
    "Riga is a city in Latvia. The population of the city fell in 1990.": "The population of Riga fell in 1990.",
    "Riga is a city in Latvia. However, in 1990, it had more inhabitants.": "In 1990, Riga had more inhabitants.",
    "Ada Stern was born in Riga. She won a prize in 1950.": "Ada Stern won a prize in 1950.",
    "Ada Stern was born in Riga. In 1950 she won a prize.": "In 1950 Ada Stern won a prize.",
    "Ada Stern was born in Riga. Her father was a baker.": "Ada Stern's father was a baker.",
    "Ada Stern was born in Riga. Stern won a prize in 1950.": "Ada Stern won a prize in 1950.",
    "Ada Stern was born in Riga. But she moved to Oslo.": "Ada Stern moved to Oslo.",
    "Otto Holt, a Danish painter, lived in Riga. The painter died in 1900.": "Otto Holt died in 1900.",
    "Kofi Mensah served in Accra. He was a judge.": "Kofi Mensah was a judge.",
    "Holt Corp was founded in 1990. The company sells anvils.": "Holt Corp sells anvils.",
    "Holt Corp was founded in 1990. In addition, the firm employs 300 people.": "Holt Corp employs 300 people.",
    "Varnum was launched in 1990. The company employs 300 people.": "Varnum employs 300 people.",
    "The Glass Bell is a 1990 film. It was directed by Ada Stern.": "The Glass Bell was directed by Ada Stern.",
    "The Glass Bell is a 1990 film. At 95 minutes, the movie was short.": "At 95 minutes, the Glass Bell was short.",
    "The film was directed by Otto Holt. He was born in Ohio.": "Otto Holt was born in Ohio.",
    "The Pebbles were a rock band from Riga. They sold 6 million records.": "The Pebbles sold 6 million records.",
    "The Pebbles were a rock band from Riga. Their first album was released in 1963.": "The Pebbles' first album was released in 1963.",
    "The Pebbles were a band from Riga. The band was founded in 1960.": "The Pebbles were founded in 1960.",
    "Trinidad and Tobago is a country. It has 2 main islands.": "Trinidad and Tobago has 2 main islands.",
    "Zuna Varn is a film, television, and stage actress.\n\nShe moved to Riga in 1990.": "Zuna Varn moved to Riga in 1990.",
    "Ada Stern met Otto Holt in 1950. She was a singer.": "Ada Stern was a singer.",
}

UNCLEAR = {
    "a man after a woman": "Ada Stern was born in Riga. He won a prize in 1950.",
    "nobody was named": "The weather was cold. It has been so since 1950.",
    "either of two": "Kofi Mensah met Kwame Owusu in 1950. He was a judge.",
    "an it that stands for nothing": "Riga is a city. It is said that bears lived in Latvia.",
    "another such it": "Riga is a city. It was in 1950 that Ada Stern won a prize.",
    "the city of something": "Riga lies in Latvia. The city of Oslo has 3 rivers.",
    "a city that is told apart": "Riga is a city. The city that won in 1950 was rich.",
    "a company car": "Holt Corp was founded in 1990. The company cars were 3 metres long.",
    "many after one": "Riga is a city in Latvia. They have 3 rivers.",
    "a name of its own": "Riga is a city in Latvia. In its first year, Holt Corp sold 3 cars.",
    "a place between": "Ada Stern won a prize. In Riga, it was the first since 1950.",
    "the judge or the prisoner": "Kofi Mensah was held. Kwame Owusu ordered to set him free. He was sent to Oslo in 1990.",
    "the author of another": "Riga grew. Written by the author, a judge and a priest, the law was passed in 1950.",
    "one after two": "Latvia and Norway announced a plan in December 2020. It counts the snow on the hills.",
    "a film that is no person": "Her first film was Lawn Cats. She moved to Riga in 1990.",
    "of the name before it": "Ada Stern lives. Riga's mayor and her son won in 1950.",
    "last year": "Riga grew. Last year was warm in Latvia.",
    "it would name itself": "Riga is a city. It lies near New Riga.",
}


@pytest.mark.parametrize("text", CLEAR)
def test_what_is_clearly_meant_is_named(text: str) -> None:
    assert extract_claims(text)[-1].claim == CLEAR[text]


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_what_is_not_clear_is_left_alone(text: str) -> None:
    last = extract_claims(text)[-1]
    assert last.claim == last.text


def test_a_title_names_what_a_text_begins_with() -> None:
    assert extract_claims("It has 3 rivers.")[0].claim == "It has 3 rivers."
    assert extract_claims("He was born in 1900.", title="Otto Holt")[0].claim == "Otto Holt was born in 1900."
    assert extract_claims("She was born in 1900.", title="Otto Holt")[0].claim == "She was born in 1900."


def test_a_title_that_is_only_the_name_of_a_file_is_ignored() -> None:
    text = "She was born in 1900. It has 3 rivers. Riga was founded in 1201."
    assert [found.claim for found in extract_claims(text, title="Page")] == [
        found.text for found in extract_claims(text)
    ]
    assert (
        extract_claims("It has 3 rivers. The old name of Riga is lost.", title="Riga")[0].claim == "Riga has 3 rivers."
    )


def test_a_new_paragraph_goes_on_with_the_topic_and_not_with_what_was_last_named() -> None:
    text = "Ada Stern was born in 1900. Otto Holt was her teacher.\n\nShe moved to Riga in 1920."
    assert extract_claims(text)[-1].claim == "Ada Stern moved to Riga in 1920."


def test_a_chain_of_pronouns_keeps_its_subject() -> None:
    text = "Ada Stern was born in 1900. She moved to Riga. In 1920, she met Otto Holt. Her first book sold 300 copies."
    assert [found.claim for found in extract_claims(text)][1:] == [
        "Ada Stern moved to Riga.",
        "In 1920, Ada Stern met Otto Holt.",
        "Ada Stern's first book sold 300 copies.",
    ]


def test_sentences_that_are_passed_over_are_still_listened_to() -> None:
    text = "Do you know Riga? Riga is beautiful! It has 3 rivers."
    assert [found.claim for found in extract_claims(text)] == ["Riga has 3 rivers."]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("However, Riga grew.", "Riga grew."),
        ("But Riga grew.", "Riga grew."),
        ("And so Riga grew.", "So Riga grew."),
        ("For example, the river froze in 1950.", "The river froze in 1950."),
        ("Additionally , Riga grew.", "Riga grew."),
        ("Soon Riga grew.", "Soon Riga grew."),
        ("Andorra grew.", "Andorra grew."),
    ],
)
def test_words_that_only_join_are_dropped(sentence: str, claim: str) -> None:
    assert decontextualize([sentence]) == [claim]
