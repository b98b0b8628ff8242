// A room as it happens. Every event holds the whole panel, so that nothing is missed after a pause; the page that the
// server drew says to look again by hand, which is hidden while events come.

import { announce } from "../drawing.js";

const ASK_AGAIN = 5000;

const panel = () => document.getElementById("room-panel");
let source = null;

function connect() {
  source?.close();
  source = null;
  const address = panel()?.dataset.events;
  if (!address) return;
  source = new EventSource(address);
  source.addEventListener("open", () => follow(true));
  source.addEventListener("panel", (event) => show(event.data));
  source.addEventListener("said", (event) => announce(event.data));
  source.addEventListener("error", lose);
}

function lose() {
  follow(false);
  // The browser comes back by itself where the connection broke, but not where it was refused.
  if (!panel()) source?.close();
  else if (source?.readyState === EventSource.CLOSED) setTimeout(connect, ASK_AGAIN);
}

function follow(isLive) {
  document.documentElement.classList.toggle("room-live", isLive);
}

function show(text) {
  const before = panel();
  const after = new DOMParser().parseFromString(text, "text/html").getElementById("room-panel");
  if (!before || !after) return source?.close();
  const focused = before.contains(document.activeElement) ? document.activeElement.id : "";
  before.replaceWith(after);
  if (focused) document.getElementById(focused)?.focus();
  if (after.querySelector("table")) document.querySelector(".room-invite")?.remove();
  const { go, events } = after.dataset;
  if (go && go !== location.pathname) return location.assign(go);
  if (!events) source?.close();
}

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    announce("The link is copied.");
    button.textContent = "Copied";
  });
}

// A form of the panel leads to another page; an event must not lead elsewhere meanwhile.
document.addEventListener("submit", (event) => { if (panel()?.contains(event.target)) source?.close(); });
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
connect();
