// On a narrow screen one side is in view at a time.

// `root` has buttons with data-look-at, and [data-size] for the number of pieces in the draft of `log`.
export function openSides(root, log) {
  const buttons = [...root.querySelectorAll("[data-look-at]")];
  const look = (side) => {
    root.dataset.looking = side;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.lookAt === side));
  };
  for (const button of buttons) button.addEventListener("click", () => look(button.dataset.lookAt));
  document.addEventListener("look-at", (event) => look(event.detail));
  const size = root.querySelector("[data-size]");
  const count = () => { const pieces = log.draft.sets.flat().length; size.textContent = pieces ? `(${pieces})` : ""; };
  log.addEventListener("draft", count);
  count();
  look(root.dataset.looking || "pages");
}
