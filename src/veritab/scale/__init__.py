"""The same work on a Dask cluster: the same bytes out as one process, for any number of workers."""
