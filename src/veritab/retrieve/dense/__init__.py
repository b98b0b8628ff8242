"""Dense retrieval: a sentence encoder turns texts into vectors, and texts that mean the same get similar ones.

Encoders are opened in `veritab.models`. Reading down the room: `rows` rounds vectors to eight bits and compares them,
`key_table` says whose they are, `vectors` keeps them on disk, and `retriever` encodes and searches a corpus.
"""
