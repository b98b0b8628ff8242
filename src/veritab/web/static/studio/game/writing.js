// Writing a claim for the game: evidence is marked on the page, and half a second after the last letter a search shows
// what it finds for the claim. The server keeps the draft and the deadline, so a reload, a second window or a restart
// goes on with the same text and clock. Publishing is the form's own, with or without this script.

import { ask } from "../asking.js";
import { announce, clock, counted, element } from "../drawing.js";
import { Marking, textOf } from "../evidence.js";
import { openSides } from "../sides.js";

const PAUSE = 500; // milliseconds without a change after which the server is told and asked
const AGAIN = 2000; // before something that failed is tried again
const MOST_PIECES = 2;
const LOW = 30; // seconds

const root = document.querySelector("[data-writing]");
const { address } = root.dataset;
const opened = JSON.parse(document.getElementById("opened").textContent);
const form = root.querySelector("[data-claim-form]");
const box = form.querySelector("textarea");
const find = (name) => root.querySelector(`[data-${name}]`);

// -- the evidence -----------------------------------------------------------------------------------------------------

// The cells of one row are one piece; anything else is one by itself.
const pieceOf = (id) => id.match(/^(.*)_(?:header_)?cell_(\d+_\d+)_\d+$/)?.slice(1).join("_row_") ?? id;

// What was marked, in the shape that `Marking` draws. Event: "draft" when it changes.
class Gold extends EventTarget {
  ids = [];
  pieces = new Map(); // of single elements: what each says

  get draft() {
    return { sets: [this.ids], current: 1 };
  }

  // The elements of each piece, in the order in which they were marked.
  get groups() {
    const groups = new Map();
    for (const id of this.ids) groups.set(pieceOf(id), [...(groups.get(pieceOf(id)) ?? []), id]);
    return [...groups.values()];
  }

  take(ids) {
    this.ids = [...ids];
    this.dispatchEvent(new Event("draft"));
  }

  // Adds what is missing; where nothing is, takes all of it away. A third piece is refused.
  toggle(ids) {
    const missing = ids.filter((id) => !this.ids.includes(id));
    const next = missing.length ? [...this.ids, ...missing] : this.ids.filter((id) => !ids.includes(id));
    const isTooMuch = missing.length > 0 && new Set(next.map(pieceOf)).size > MOST_PIECES;
    find("too-many").hidden = !isTooMuch;
    if (isTooMuch) return announce(find("too-many").textContent);
    this.take(next);
    announce(`${missing.length ? "Added" : "Taken away"}: ${ids.map((id) => this.pieces.get(id) ?? id).join(" · ").slice(0, 80)}. ${counted(this.groups.length, "piece")} of evidence.`);
  }
}

class GoldMarking extends Marking {
  toggle(elements) {
    for (const at of elements) this.log.pieces.set(this.idOf(at), textOf(at));
    this.log.toggle(elements.map((at) => this.idOf(at)));
  }
}

const gold = new Gold();
gold.ids = opened.gold;
const view = find("view");
const marking = new GoldMarking(Object.assign(new EventTarget(), { view }), gold);
find("row").addEventListener("click", () => marking.toggleLine("row"));
view.addEventListener("keydown", (event) => {
  if (event.key === "r" && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.matches("td, th")) marking.toggleLine("row");
});
for (const link of view.querySelectorAll("a[href*='?']")) link.target = "_blank"; // the claim stays where it is
for (const id of gold.ids) gold.pieces.set(id, "");

// What the server says of the pieces: their words, and where they stand. Until it has, what the elements say.
let described = opened.pieces;

function drawGold() {
  const focused = document.activeElement?.dataset.remove;
  const lines = gold.groups.map((ids) => {
    const known = described.find((piece) => ids.every((id) => piece.ids.includes(id)) && piece.ids.length === ids.length);
    const text = known?.text || ids.map((id) => gold.pieces.get(id) || id).join(" · ");
    return element("li", {},
      element("div", { class: "gold-words" }, element("p", { dir: "auto" }, text), known?.section && element("p", { class: "place small", dir: "auto" }, known.section)),
      element("button", { type: "button", class: "link remove", title: "Take it away", "aria-label": `Take away: ${text}`, data: { remove: pieceOf(ids[0]) }, on: { click: () => { gold.toggle(ids); view.querySelector("[tabindex='0']")?.focus({ preventScroll: true }); } } }, "×"));
  });
  find("pieces").replaceChildren(...lines);
  find("no-pieces").hidden = lines.length > 0;
  find("gold-fields").replaceChildren(...gold.groups.map((ids) => element("input", { type: "hidden", name: "gold", value: JSON.stringify(ids) })));
  if (focused) root.querySelector(`[data-remove="${CSS.escape(focused)}"]`)?.focus();
}

// -- the claim --------------------------------------------------------------------------------------------------------

function drawCount() {
  const most = Number(box.dataset.most);
  const length = [...box.value].length;
  find("count").textContent = `${length.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
  find("count").classList.toggle("over", length > most);
}

box.addEventListener("input", () => {
  if (box.value.includes("\n")) box.value = box.value.replace(/\s*\n\s*/g, " "); // a claim is a line, also when it is pasted
  changed();
});
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) form.requestSubmit(find("publish"));
});

// -- time -------------------------------------------------------------------------------------------------------------

const time = {
  shown: find("clock"),
  told: "",

  // The server's seconds count; what this machine calls the time does not.
  take(seconds) {
    this.end = performance.now() + seconds * 1000;
    this.draw();
  },

  get left() {
    return Math.max((this.end - performance.now()) / 1000, 0);
  },

  draw() {
    const { left } = this;
    this.shown.textContent = clock(Math.ceil(left));
    this.shown.classList.toggle("low", left <= LOW);
    const words = left <= LOW ? `${LOW} seconds left.` : left <= 120 ? "Two minutes left." : "";
    if (words !== this.told && (this.told = words) && left > LOW - 2) announce(words);
    if (left <= 0) over();
  },
};

let isOver = false;

// What was written stays in sight, to be copied; nothing is sent any more.
function over() {
  if (isOver) return;
  isOver = true;
  clearInterval(ticking);
  clearTimeout(pending);
  saving.stop();
  document.dispatchEvent(new CustomEvent("look-at", { detail: "answer" }));
  box.readOnly = true;
  for (const button of root.querySelectorAll("button:not([data-look-at])")) button.disabled = true;
  find("over").hidden = false;
  find("over").focus();
}

// -- telling and asking the server ------------------------------------------------------------------------------------

const draft = () => ({ text: box.value, gold: gold.ids, page: opened.page });
const same = (one, other) => one.text === other.text && one.gold.join("\n") === other.gold.join("\n");
let token = opened.form_token;
let pending = 0;

const send = (name, body, leaving = false) => ask(`${address}/${name}`, { body, token, keepalive: leaving });

function changed() {
  drawCount();
  clearTimeout(pending);
  if (isOver) return;
  saving.say();
  pending = setTimeout(() => { saving.save(); looking.look(); }, PAUSE);
}

// Keeps the draft on the server; one request at a time, and again until it has the newest.
const saving = {
  kept: { text: opened.text, gold: opened.gold },
  trouble: "",

  get isDone() {
    return same(this.kept, draft());
  },

  async save() {
    if (this.busy || this.isDone || isOver) return this.say();
    this.busy = true;
    clearTimeout(this.timer);
    const sent = draft();
    this.say();
    try {
      hear(await send("draft", sent));
      this.kept = sent;
      const was = this.trouble;
      this.trouble = "";
      this.busy = false;
      if (was) looking.look();
      this.save();
    } catch (problem) {
      this.busy = false;
      await this.stumble(problem);
    }
  },

  async stumble({ status, detail }) {
    if (status === 409 || status === 404) return this.meet(detail);
    if (status === 400) this.trouble = detail;
    else if (status === 401 || status === 403) {
      this.trouble = "You are signed out. Sign in again in another window, then go on here: what you wrote is in this one.";
      await this.renew();
    } else this.trouble = "There is no connection. You can go on writing: it is kept as soon as there is one, and the clock runs on.";
    this.say();
    if (status !== 400) this.timer = setTimeout(() => this.save(), AGAIN);
  },

  // A new login has a token of its own.
  async renew() {
    try { token = (await ask(`${address}/draft`)).form_token; } catch { /* not signed in yet */ }
  },

  // It was published, given up or over in another window.
  async meet(detail) {
    try {
      const said = await ask(`${address}/draft`);
      if (said.state === "timed out") return over();
      if (said.state !== "open" || said.page !== opened.page) return location.reload();
      hear(said);
    } catch { /* the words that came with the refusal are all there is */ }
    this.trouble = `${detail[0].toUpperCase()}${detail.slice(1)}.`;
    this.say();
  },

  stop() {
    clearTimeout(this.timer);
  },

  say() {
    const words = this.isDone ? "Draft kept" : this.trouble ? "Not kept yet" : "Keeping …";
    if (find("saved").textContent !== words) find("saved").textContent = words;
    find("saved").dataset.state = this.isDone ? "saved" : this.trouble ? "offline" : "saving";
    const trouble = this.isDone ? "" : this.trouble;
    if (find("banner").textContent !== trouble) find("banner").textContent = trouble;
    find("banner").hidden = !trouble;
  },
};

// What every answer tells: the time left, and the pieces in words.
function hear(said) {
  time.take(said.seconds_left);
  described = said.pieces;
  drawGold();
}

// What a search finds for the claim, then what the checker says of it. An answer to an older text is thrown away.
const looking = {
  asked: 0,

  async look(shown = false) {
    const number = ++this.asked;
    const sent = draft();
    const isBlank = !sent.text.trim();
    find("feedback").setAttribute("aria-busy", String(!isBlank));
    if (isBlank && !sent.gold.length) return this.put("");
    try {
      if (!shown) {
        const said = await send("feedback", sent);
        if (number !== this.asked) return;
        this.put(said.html);
      }
      find("feedback").setAttribute("aria-busy", "false");
      if (isBlank || isOver) return;
      find("checker").replaceChildren(element("p", { class: "quiet small" }, "The checker reads it …"));
      const said = await send("checker", sent);
      if (number !== this.asked) return;
      find("checker").innerHTML = said.html;
    } catch (problem) {
      if (number !== this.asked) return;
      find("feedback").setAttribute("aria-busy", "false");
      if (problem.status === 409) return saving.meet(problem.detail);
      find("checker")?.replaceChildren(element("p", { class: "quiet small" }, "The checker gave no answer. Go on without it."));
    }
  },

  put(html) {
    const place = find("feedback");
    const before = place.querySelector("[data-rank]")?.textContent;
    place.innerHTML = html; // drawn by the server, which escapes every text
    place.setAttribute("aria-busy", "false");
    const rank = place.querySelector("[data-rank]")?.textContent;
    if (rank && rank !== before) announce(rank);
  },
};

// Another window may have gone on with it.
async function compare() {
  if (document.visibilityState !== "visible" || isOver || !saving.isDone || saving.busy) return;
  let said;
  try { said = await ask(`${address}/draft`); } catch { return; }
  token = said.form_token;
  if (said.state === "timed out") return over();
  if (said.state !== "open" || said.page !== opened.page) return location.reload();
  if (saving.isDone && !same(said, draft())) {
    saving.kept = { text: said.text, gold: said.gold };
    box.value = said.text;
    gold.take(said.gold);
    looking.look();
  }
  hear(said);
}

addEventListener("focus", compare);
document.addEventListener("visibilitychange", compare);
addEventListener("pagehide", () => { if (!saving.isDone && !isOver) send("draft", draft(), true).catch(() => {}); });
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// What a form ends has no draft any more.
root.addEventListener("submit", () => { clearTimeout(pending); saving.stop(); saving.kept = draft(); });

// -- the beginning ----------------------------------------------------------------------------------------------------

gold.addEventListener("draft", () => { drawGold(); changed(); });
time.end = Infinity;
const ticking = setInterval(() => time.draw(), 250);
time.take(opened.seconds_left);
openSides(root, { draft: { get sets() { return gold.groups; } }, addEventListener: gold.addEventListener.bind(gold) });
find("tray").hidden = false;
drawGold();
drawCount();
saving.say();
if (!saving.isDone) changed();
else if (opened.text.trim()) looking.look(true);
