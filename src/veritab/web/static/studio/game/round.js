// The voting screen and the reveal. The clock shows what the server said, counted on with the browser's own time; what
// is sent never holds a time. When it stands at nothing, the server is asked, and the page becomes the reveal.

import { announce, clock } from "../drawing.js";
import { Keys } from "../keys.js";

const TOLD_AT = [60, 30, 10];
const ASK_AGAIN = 2000;
const EVERY = 200;
const LOW = 30;

class Voting {
  constructor(root) {
    this.root = root;
    this.address = root.dataset.round;
    this.hintSeconds = Number(root.dataset.hintSeconds);
    this.mostPoints = Number(root.dataset.mostPoints);
    this.told = root.querySelector("[data-told]");
    this.count(Number(root.dataset.seconds), performance.getEntriesByType("navigation")[0]?.responseStart);
    root.querySelector("[data-then]").hidden = true;
    root.querySelector("[data-keys-line]").hidden = false;
    const worth = root.querySelector("[data-worth]");
    if (worth) worth.hidden = false;
    root.addEventListener("submit", (event) => this.submit(event));
    this.ticking = setInterval(() => this.tick(), EVERY);
    this.looking = () => { if (!document.hidden) this.ask(); };
    document.addEventListener("visibilitychange", this.looking);
    this.coming = (event) => { if (event.persisted) this.ask(); };
    addEventListener("pageshow", this.coming);
    this.tick();
  }

  // What the server says is left; `at` is when it said so.
  count(seconds, at = performance.now()) {
    this.ends = at + seconds * 1000;
    this.unsaid = TOLD_AT.filter((each) => each < seconds);
  }

  get left() {
    return Math.max((this.ends - performance.now()) / 1000, 0);
  }

  get isOver() {
    return !this.root.isConnected;
  }

  tick() {
    const { left } = this;
    const shown = this.root.querySelector("[data-clock]");
    shown.textContent = clock(left);
    shown.classList.toggle("low", left < LOW);
    this.root.querySelector("[data-bar]").value = left;
    const points = this.root.querySelector("[data-worth] .points");
    if (points) points.textContent = Math.min(this.mostPoints, Math.floor(left));
    for (const button of this.root.querySelectorAll("[data-hint]")) {
      const bought = Number(button.closest("[data-side]").querySelector("[data-hints-left]").textContent);
      const isOpen = bought > 0 && (!this.hintSeconds || left > this.hintSeconds);
      if (isOpen) button.removeAttribute("aria-disabled");
      else button.setAttribute("aria-disabled", "true");
    }
    const due = this.unsaid.filter((each) => left <= each);
    if (due.length) {
      this.unsaid = this.unsaid.filter((each) => left > each);
      announce(`${Math.min(...due)} seconds left`);
    }
    if (!left) this.ask();
  }

  submit(event) {
    const form = event.target;
    const button = form.querySelector("[data-hint], [data-vote]");
    if (!button) return;
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    this.send(form);
  }

  // Sends a form. Where no answer comes, nobody knows whether it was taken: the server is asked until it says.
  async send(form) {
    if (this.isSending || this.isCut) return;
    this.isSending = true;
    await this.asking;
    this.tell("");
    try {
      await this.take(await request(form.action, new URLSearchParams(new FormData(form))));
    } catch ({ detail }) {
      this.tell(detail ?? "");
      await this.ask();
    }
    this.isSending = false;
  }

  // Ask how the round stands, until the server says.
  ask() {
    this.asking ??= this.repeat().finally(() => { this.asking = null; });
    return this.asking;
  }

  async repeat() {
    while (!this.isOver) {
      try {
        await this.take(await request(this.address));
        if (this.isCut) this.tell("");
        this.isCut = false;
        return;
      } catch ({ status }) {
        if (status === 401) return location.reload();
        this.isCut = true;
        this.tell("There is no connection to the game. The clock goes on there; this page tries again.");
        await new Promise((go) => setTimeout(go, ASK_AGAIN));
      }
    }
  }

  async take(said) {
    if (said.over) return this.reveal(said.to);
    this.count(said.seconds_left);
    for (const side of ["left", "right"]) this.draw(side, said[side]);
    this.tick();
  }

  draw(side, { hints, hints_left: left }) {
    const place = this.root.querySelector(`[data-side=${side}]`);
    place.querySelector("[data-hints-left]").textContent = left;
    place.querySelector("[name=seen]").value = hints.length;
    const list = place.querySelector("[data-hints]");
    for (const drawn of hints.slice(list.children.length)) {
      const item = parse(drawn).querySelector("li");
      list.append(item);
      announce(`${side === "left" ? "Claim 1" : "Claim 2"}: ${item.textContent.trim().replace(/\s+/g, " ")}`);
    }
  }

  async reveal(address) {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return location.reload();
    this.close();
    show(await answer.text());
  }

  close() {
    clearInterval(this.ticking);
    document.removeEventListener("visibilitychange", this.looking);
    removeEventListener("pageshow", this.coming);
  }

  tell(words) {
    this.told.textContent = words && `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
    this.told.hidden = !words;
  }
}

// What the server says as JSON, to a form or to a question; throws {status, detail}, with status 0 where nobody answers.
async function request(address, body = null) {
  let answer;
  try {
    answer = await fetch(address, { method: body ? "POST" : "GET", body, headers: { Accept: "application/json" }, redirect: "manual" });
  } catch {
    throw { status: 0 };
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw { status: answer.status, detail: said.detail };
  return said;
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// Puts a page in the place of this one, and the focus on its heading.
function show(text) {
  const page = parse(text);
  document.title = page.title;
  document.querySelector("main").replaceWith(page.querySelector("main"));
  scrollTo(0, 0);
  document.querySelector("main h1")?.focus();
  open();
}

// A form whose answer is this page as it is then.
async function sendInPlace(event) {
  const form = event.target;
  if (!form.matches("[data-in-place]")) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) throw "no page";
    voting?.close();
    show(await answer.text());
  } catch {
    announce("There is no connection to the game. Try again.");
  }
}

async function loadChecker() {
  const place = document.querySelector("[data-checker]");
  if (!place) return;
  const told = place.querySelector("[role=status]");
  const link = told.firstElementChild;
  told.textContent = "It is asked …";
  try {
    const answer = await fetch(place.dataset.checker, { headers: { Accept: "text/html" }, redirect: "manual" });
    const said = parse(await answer.text()).querySelector("[data-said]");
    if (!said) throw "nothing";
    place.replaceWith(said);
  } catch {
    told.replaceChildren("It gave no answer. ", link);
  }
}

let voting = null;

function open() {
  const root = document.querySelector("[data-round]");
  voting = root ? new Voting(root) : null;
  if (!root) loadChecker();
}

const keys = new Keys();
let isHeld = false;
document.addEventListener("keydown", (event) => { isHeld = event.repeat; }, true);
const button = (side, name) => voting?.root.querySelector(`[data-side=${side}] [data-${name}]`);
for (const [side, key, hintKey] of [["left", "1", "h"], ["right", "2", "j"]]) {
  keys.bind(key, "Go to the claim's button", () => button(side, "vote")?.focus());
  keys.bind(hintKey, "A hint for the claim", () => { if (!isHeld) button(side, "hint")?.form.requestSubmit(); });
}
document.addEventListener("submit", sendInPlace);
open();
