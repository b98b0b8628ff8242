"""Evidence decides claims: what a model reads of it, what the model says, and how sure it may be."""
