"""Figures of annotation: everything that the FEVER and FEVEROUS papers print of theirs, for one's own.

from veritab.studio import figures
measured = figures.measure_studio(annotations, writings, members, claims)
figures.figures_to_json(measured)               # for programs
figures.figure_rows(measured)                   # name, value, what the papers print, n
"""

from __future__ import annotations

from veritab.studio.figures.measuring import StudioFigures, measure_studio
from veritab.studio.figures.report import FigureRow, figure_rows, figures_to_json

__all__ = ["FigureRow", "StudioFigures", "figure_rows", "figures_to_json", "measure_studio"]
