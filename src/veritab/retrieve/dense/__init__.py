"""Meaning finds elements: a sentence encoder turns texts into vectors, and near vectors are near in meaning.

Reading down the room: `onnx_model` opens any local model, `encoder` makes vectors with it and `cross` scores pairs;
`rows` rounds vectors to eight bits and compares them, `ledger` remembers which are there, `vectors` keeps them on disk,
and `retriever` encodes a corpus and asks it.
"""
