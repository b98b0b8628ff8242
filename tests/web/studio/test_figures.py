"""The figures of a project, drawn beside the published ones."""

from __future__ import annotations

from tests.web.studio.busy import make_busy
from tests.web.studio.world import World, words_of


def test_figures_stand_beside_what_the_papers_print(world: World) -> None:
    make_busy(world)
    page = world.sign_in("wise-owl").see("/p/rivers/figures")
    rows = {
        " ".join(row.cssselect("th")[0].text_content().split()): [cell.text_content() for cell in row.cssselect("td")]
        for row in page.cssselect("table.figures tbody tr")
    }
    assert rows["Verify claims: seconds, mean"][2] == "165"
    assert rows["a page of the evidence is named in the claim"][2] == "84 %"
    assert "no claim" in " ".join(rows["Fleiss' kappa, 3 answers"])


def test_programs_read_them_as_json(world: World) -> None:
    make_busy(world)
    found = world.sign_in("wise-owl").get("/p/rivers/figures.json").json()
    assert found["verification"]["answers"] == 5
    assert found["writing"]["claims"] == 0


def test_figures_are_for_managers(world: World) -> None:
    person = world.member("calm-crane")
    person.get("/p/rivers/figures", 403)
    person.get("/p/rivers/figures.json", 403)
    assert "Figures" not in person.see("/p/rivers").cssselect("nav")[0].text_content()
    assert "takes a manager" in words_of(person.see("/p/rivers/figures", 403))
