"""Evidence decides claims: what a model reads of it, what the model says, and how sure it may be.

Reading down the room: `rows` turns tables into evidence, `reading` says which evidence is read and in what order,
`render` makes one text of it, `calibration` turns what a model says into probabilities and labels (`fitting` fits it),
`voting` lets what was computed have its say, and `verdicts` does all of that.
"""
