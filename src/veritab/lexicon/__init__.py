"""The English words that more than one room looks for, each list once.

    numbers      number words, ordinals, fractions, multiples, the calendar
    comparison   degrees of adjectives, more and less, earlier and later, limits, rising and falling
    grammar      stop words, pronouns, determiners, prepositions, conjunctions, negation
    attributes   what a column measures and the words a claim has for it; outcomes of a game
    antonyms     words and their opposites
    cues         the words of a claim that ask for a computation, as the weights of the semantic parser know them

Words are in lower case. Sets named `..._STEMS` hold what `veritab.text.stem` makes of words.
"""
