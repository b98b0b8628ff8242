"""Figures of annotation: everything that the FEVER and FEVEROUS papers print of theirs, for one's own."""
