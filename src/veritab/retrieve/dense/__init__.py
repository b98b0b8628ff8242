"""Meaning finds elements: a sentence encoder turns texts into vectors, and near vectors are near in meaning.

Encoders are opened in `veritab.models`. Reading down the room: `rows` rounds vectors to eight bits and compares them,
`ledger` remembers which are there, `vectors` keeps them on disk, and `retriever` encodes a corpus and asks it.
"""
