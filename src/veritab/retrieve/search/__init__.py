"""People search a corpus.

`question` reads what they type, `matches` finds it, `highlight` marks it, `suggest` completes it.
"""
