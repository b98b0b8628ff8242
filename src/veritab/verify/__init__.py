"""Evidence decides claims.

Reading down the room: `evidence` gathers what was retrieved or given; `judge` is the path from there to a verdict:
what can be computed, what a verifier reads (`model`, `llm`), what is decided (`decide`; `features` and `combine` weigh
a reading, `calibrate` turns logits into probabilities). `compose`, `rows` and `render` make the text that a model
reads; `cells` makes tables of single cells; `certificate` works out what a verdict rests on; `fit` fits calibration and
combiner.
"""
