"""The API for programs: `shapes` are what goes in and out, `routes` answer, `work` has it done, `document` describes
all of it as OpenAPI, and `watch` is for machines that look after the server.
"""
