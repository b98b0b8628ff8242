"""What goes into a studio and comes out of it: claims, data sets, figures, backups."""

from __future__ import annotations

from veritab.cli.output import Json, print_json, talk
from veritab.cli.studio_place import Place, ProjectName, opened_studio, print_listed


def stats(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """Print the figures that the papers print of annotation, for a project, beside theirs."""
    with opened_studio(studio) as opened:
        from veritab.studio.figures import figure_rows, figures_to_json
        from veritab.studio.figures.reading import read_figures, section_finder
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, project)
            with talk.status("measuring"):
                figures = read_figures(session, found.id, section_finder(opened.open_corpus(found).store))
    if as_json:
        print_json(figures_to_json(figures))
        return
    groups: set[str] = set()
    rows = []
    for row in figure_rows(figures):
        rows.append({**row._asdict(), "group": "" if row.group in groups else row.group})
        groups.add(row.group)
    print_listed(
        False,
        rows,
        ("", "figure", "value", "published", "of", ""),
        lambda row: (row["group"], row["name"], row["value"], row["published"], f"{row['n']:,}", row["reason"]),
    )
