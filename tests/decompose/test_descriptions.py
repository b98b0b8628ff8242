"""Descriptions that stand for a name: where they begin and end, what they say, and what is read with the name."""

from __future__ import annotations

import pytest

from veritab.decompose.descriptions import find_descriptions
from veritab.decompose.names import find_names


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("Lithium was found in the city that hosted the 1952 Games.", ["the city that hosted the 1952 Games"]),
        ("The king who opened the 1908 Games also opened a bridge.", ["the king who opened the 1908 Games"]),
        ("The lake that feeds the White Nile is deeper than Lake Baikal.", ["the lake that feeds the White Nile"]),
        ("Zinc was isolated in the very city where uranium was found.", ["the city where uranium was found"]),
        ("The lake from which the Nile flows out is in Kenya.", ["the lake from which the Nile flows out"]),
        (
            "The inventor of dynamite died in the capital of Italy.",
            ["the inventor of dynamite", "the capital of Italy"],
        ),
        ("Japan's highest mountain is taller than Teide.", ["Japan's highest mountain"]),
        ("Europe's longest river empties into the Black Sea.", ["Europe's longest river"]),
        ("Ada Lovelace's poet father died in Greece.", ["Ada Lovelace's poet father"]),
        ("The element named after Einstein is radioactive.", ["the element named after Einstein"]),
        ("Mozart was a native of the Austrian capital.", ["the Austrian capital"]),
        ("The winner of Mill Road in 2023 rode for another team.", ["the winner of Mill Road in 2023"]),
        ("The author of War and Peace was born in Tula.", ["the author of War and Peace"]),
        ("The winner of the Nobel Prize in Physics was born in Ulm.", ["the winner of the Nobel Prize in Physics"]),
        ("The site manager of Kolvik leads the rescue team.", ["the site manager of Kolvik"]),
        # A participle, an infinitive or a place says which.
        ("The station destroyed by lightning stood at 1,430 metres.", ["the station destroyed by lightning"]),
        ("The suite was ordered with an observatory headed by Noemi.", ["the observatory headed by Noemi"]),
        ("The bridge built in 1932 was named after a king.", ["the bridge built in 1932"]),
        ("The first person to win two prizes was born in Warsaw.", ["the first person to win two prizes"]),
        ("The man behind the vaccine was born in Pretoria.", ["the man behind the vaccine"]),
        (
            "The town in Peru where the Ohio joins the Po bears a name.",
            ["the town in Peru where the Ohio joins the Po"],
        ),
        ("France won in the country through which the Volga flows.", ["the country through which the Volga flows"]),
        ("The only craft that ever visited Neptune left in 1977.", ["the only craft that ever visited Neptune"]),
        ("The metal that gave Peru its name was cheap.", ["the metal that gave Peru its name"]),
        ("The race finishes at a library that opened in 1961.", ["the library that opened in 1961"]),
        ("The Quillan Band's finale is led by its chief conductor.", ["Quillan Band's chief conductor"]),
        # "the one" repeats the noun before.
        (
            "The element named after Bohr is heavier than the one named after Curie.",
            ["the element named after Bohr", "the element named after Curie"],
        ),
    ],
)
def test_a_description_ends_where_the_claim_goes_on(claim: str, texts: list[str]) -> None:
    assert [found.text for found in find_descriptions(claim)] == texts


@pytest.mark.parametrize(
    "claim",
    [
        "Paris is the capital of Germany.",  # the claim itself says what it is
        "The capital of Germany is Paris.",
        "Jesse Owens won in the Bavarian capital Munich.",
        "Edvard Grieg was born in the capital of his country.",  # whose?
        "Italy's head count fell.",
        "Utah's shortest state route is SR-304.",
        "The fact that he won is known.",
        "Kenya covers a larger area than Egypt.",
        "One of the men who climbed it had a sister.",
        "The Arabic alphabet and the Greek one have the same number of letters.",
        "",
        # Nothing is cut off that the claim says beside it.
        "Anna lives in the city that hosted the Games and works in Rome.",
        "Emma died in the same town as Bach but was buried in Rome.",
        "It is said that the city that never sleeps is New York.",
        # Other ways to say what it is.
        "Bonn was formerly the capital of Germany.",
        "Oslo (the capital of Norway) lies on a fjord.",
        "The capital of Norway, Oslo, lies on a fjord.",
        "The capital of Australia has always been Sydney.",
        "The capital of Brazil was Rio de Janeiro until 1960.",
        "Bonn isn't the capital of Germany.",
        "She's president of France.",
        "The British capital gains tax was raised.",
        "Anna met the king of Norway's daughter.",
        "Water is the same as ice.",
        "The library opened in 1961.",
        "The metal that gave Argentina its name conducts electricity better than copper.",
        "Lake Baikal is more than a mile deep at its deepest point.",
        "Almaz Girma won the women's race at Caldermouth by 85 seconds.",
        "The library opened in 1961 after the old one was sold.",
        "The Volga runs into what is, by area, the largest lake in the world.",
        "Anna was elected the head of the club.",
        "The emperor of Japan's son is the one who left.",
        "Emma died in the same town as",
        "And Bach were born in the same town.",
        "{} and {} were born in the same town.",
        "the capital of the",
        "the city that " * 300,
    ],
)
def test_what_stands_for_no_one_name_is_left_alone(claim: str) -> None:
    assert find_descriptions(claim) == []


@pytest.mark.parametrize(
    ("claim", "head", "statement", "read"),
    [
        ("Lithium was found in the city that hosted the 1952 Games.", "city", "X hosted the 1952 Games.", ""),
        ("Anna was born in the city where Bach died.", "city", "Bach died in X.", "Anna was born in X."),
        ("Emma died in the same town as Bach.", "town", "Bach died in X.", "Emma died in X."),
        ("Bach and Handel were born in the same town.", "town", "Handel was born in X.", "Bach was born in X."),
        (
            "Brazil and Argentina have the same official language.",
            "language",
            "X is the official language of Argentina.",
            "X is the official language of Brazil.",
        ),
        ("The Amazon rises in the range that Aconcagua belongs to.", "range", "Aconcagua belongs to X.", ""),
        ("The capital of Italy is large.", "capital", "X is the capital of Italy.", "X is large."),
        ("The station destroyed by lightning is gone.", "station", "X was destroyed by lightning.", "X is gone."),
        ("The club's branch with the most loans is old.", "branch", "X has the most loans.", ""),
        (
            "The woman after whom the tower is named was a chemist.",
            "woman",
            "The tower is named after X.",
            "X was a chemist.",
        ),
    ],
)
def test_a_name_completes_what_is_described(claim: str, head: str, statement: str, read: str) -> None:
    (found,) = find_descriptions(claim)
    assert found.head == head
    assert found.statement_for("X") == statement
    if read:
        assert found.substitute("X", claim).removesuffix(".") == read.removesuffix(".")


@pytest.mark.parametrize(
    ("claim", "ranked"),
    [
        ("The ship that spent longest in dock belongs to Norda.", True),
        ("The branch with the most loans opened in 1961.", True),
        ("The busiest branch opened in 1904.", True),
        ("Japan's highest mountain is a volcano.", False),
        ("Anna lives in the country whose largest city is Auckland.", False),
    ],
)
def test_a_description_that_ranks_has_to_be_computed(claim: str, ranked: bool) -> None:
    assert [found.is_ranked for found in find_descriptions(claim)] == [ranked]


def test_only_an_indefinite_description_may_stand_for_one_of_many() -> None:
    (found,) = find_descriptions("The race finishes at a library that opened in 1961.")
    assert found.is_one_of_many
    (found,) = find_descriptions("The race finishes at the library that opened in 1961.")
    assert not found.is_one_of_many


def test_a_number_belongs_to_the_name_before_it_and_not_to_what_it_counts() -> None:
    assert list(find_names("Only Voyager 2 visited Uranus, and Canada 12 countries.")) == [
        "Voyager 2",
        "Uranus",
        "Canada",
    ]


def test_names_are_runs_of_capitals_without_adjectives() -> None:
    text = "A Swiss guide met Leonardo da Vinci and Niels Bohr's brother in Bern, the British said."
    assert list(find_names(text)) == ["Leonardo da Vinci", "Niels Bohr", "Bern", "British"]
    assert list(find_names("John F. Kennedy met J. K. Rowling in the Republic of the Congo and St. Petersburg.")) == [
        "John F. Kennedy",
        "J. K. Rowling",
        "Republic of the Congo",
        "St. Petersburg",
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "The minister announced that the tax would be raised.",
        "The minister who announced that the tax would be raised resigned.",
        "The company reported that sales fell by 10%.",
        "The treaty stated that the island belonged to Spain.",
        "The report said that the library opened in 1961.",
        "The man called the father of the nation died in 1948.",
        "The king of Norway who visited in 1905 was Danish.",
        # What begins the claim has a chief conductor, and not Riga.
        "The orchestra was founded in Riga and is led by its chief conductor.",
    ],
)
def test_a_clause_that_says_something_of_its_own_describes_nothing(claim: str) -> None:
    assert find_descriptions(claim) == []


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The capital of the country that hosted the 1998 World Cup lies on the Seine.", "the country that hosted"),
        ("The widow of the man who built the tower lives in Lyon.", "the man who built the tower"),
        ("The most famous work of the author is a poem.", "the most famous work of the author"),
        ("The least populated state has 500,000 inhabitants.", "the least populated state"),
        ("Goethe's best known play was first performed in 1829.", "Goethe's best known play"),
        ("The only team to win twice plays in Turin.", "the only team to win twice"),
        ("The Vienna Philharmonic went on tour with its chief conductor.", "Vienna Philharmonic's chief conductor"),
    ],
)
def test_a_description_is_not_cut_short(claim: str, expected: str) -> None:
    (description,) = find_descriptions(claim)
    assert description.text.startswith(expected)
