// What the checker says of the claim, where the project shows it.

// Puts it where [data-suggestion] is; its links lead to pages in `browser`, or to pages of their own without one.
export async function loadSuggestion(browser = null) {
  const place = document.querySelector("[data-suggestion]");
  if (!place) return;
  try {
    const answer = await fetch(place.dataset.suggestion, { headers: { Accept: "text/html" }, redirect: "manual" });
    const said = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-said]");
    if (!said) throw "nothing";
    place.replaceChildren(said);
  } catch {
    place.querySelector("[role=status]").textContent = "The checker gave no answer. Go on without it.";
    return;
  }
  if (browser) place.addEventListener("click", (event) => browser.follow(event));
  else for (const link of place.querySelectorAll("a[href^='?']")) link.href = place.dataset.suggestion.replace(/\/task\/.*/, "/page") + link.getAttribute("href");
}
