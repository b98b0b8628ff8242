"""The API for programs: `shapes` are what goes in and out, `routes` (with `texts` and `scoring`) answer, `work` has it
done, `document` describes all of it as OpenAPI and `manual` that for people, `origins` lets other sites' pages in, and
`watch` is for machines that look after the server.
"""
