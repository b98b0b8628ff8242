// The keys of a screen: one list that is both obeyed and shown. None of them does anything while somebody types.

import { element } from "./drawing.js";

const TYPED = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";

export class Keys {
  constructor() {
    this.bindings = [];
    document.addEventListener("keydown", (event) => this.press(event));
    this.dialog = document.querySelector("dialog[data-keys]");
    for (const button of document.querySelectorAll("[data-show-keys]")) button.addEventListener("click", () => this.show());
    if (this.dialog) this.bind("?", "Show these keys", () => this.show());
  }

  // bind("Ctrl+Enter", "Submit", act); without `act` it is only listed, as a key of something else.
  bind(keys, words, act = null) {
    this.bindings.push({ keys, words, act });
  }

  press(event) {
    if (event.defaultPrevented || event.isComposing || event.target.closest?.(TYPED) || document.querySelector("dialog[open]:not(.beside)")) return;
    const pressed = nameOf(event);
    const found = this.bindings.find(({ keys, act }) => act && keys === pressed);
    if (!found) return;
    event.preventDefault();
    found.act();
  }

  show() {
    this.dialog.querySelector("dl").replaceChildren(...this.bindings.map(({ keys, words }) => element("div", {},
      element("dt", {}, ...keys.split(" ").flatMap((each, number) => [number ? " " : "", element("kbd", {}, each)])), element("dd", {}, words))));
    if (!this.dialog.open) this.dialog.showModal();
  }
}

// "Ctrl+Shift+Z", "Ctrl+Space", "r", "?": as it is written on the screen.
function nameOf(event) {
  const names = [];
  if (event.ctrlKey || event.metaKey) names.push("Ctrl");
  if (event.altKey) names.push("Alt");
  const letter = event.key === " " ? "Space" : event.key;
  if (!names.length) return letter;
  if (event.shiftKey) names.push("Shift");
  return [...names, letter.length === 1 ? letter.toUpperCase() : letter].join("+");
}
