"""The retrievers of the papers, built from their descriptions.

`tfidf` is how they weigh words, `configurations` who did what with it.
"""
