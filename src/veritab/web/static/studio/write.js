// Writing claims: each field is told about half a second after the last letter, and what the words are about is marked
// in them. FEVER's claims, FEVER's mutations and FEVEROUS's three claims have the same fields.

import { announce, counted, element } from "./drawing.js";
import { bindFields } from "./fields.js";
import { Submission } from "./submit.js";
import { openWork } from "./work.js";

const PAUSE = 500; // milliseconds without a letter after which advice is asked for

const work = openWork();
const { root, log, browser, keys } = work;
const form = root.querySelector("[data-answer]");

// -- one field --------------------------------------------------------------------------------------------------------

// A box for one claim: a text whose marks lie behind its letters, and a list of what is told about it.
class ClaimBox {
  constructor(place) {
    this.place = place;
    this.box = place.querySelector("textarea");
    this.marks = place.querySelector("[data-marks]");
    this.list = place.querySelector("[data-advice]");
    this.said = ""; // the text that the advice is about
    this.advice = [];
  }

  get name() { return this.box.name; }

  get text() { return this.box.value; }

  get isBlank() { return !this.text.trim(); }

  take(text, advice) {
    this.said = text;
    const same = JSON.stringify(advice) === JSON.stringify(this.advice);
    this.advice = advice;
    if (!same) this.list.replaceChildren(...advice.map(drawAdvice)); // what is said already is not said aloud again
    this.draw();
  }

  // What was marked before the first letter that has changed since stays marked until there is new advice.
  draw() {
    if (this.isBlank && this.advice.length) return this.take(this.text, []);
    let kept = 0;
    while (kept < this.said.length && this.said[kept] === this.text[kept]) kept++;
    const spans = this.advice.filter(({ span }) => span && (span[1] <= kept || this.said === this.text));
    this.marks.replaceChildren(...drawMarks(this.text, spans), "\u200b");
    this.place.classList.toggle("refused", this.said === this.text && this.advice.some((one) => one.forbids));
  }
}

function drawAdvice({ code, message, forbids }) {
  return element("li", { class: forbids ? "forbids" : null, data: { code } }, forbids && element("b", {}, "Not yet: "), message);
}

function* drawMarks(text, spans) {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ span }) => span)])].sort((one, other) => one - other);
  for (let number = 1; number < edges.length; number++) {
    const [start, end] = [edges[number - 1], edges[number]];
    const about = spans.filter(({ span }) => span[0] <= start && end <= span[1]);
    const words = text.slice(start, end);
    yield about.length ? element("mark", { class: about.some((one) => one.code === "plain-negation") ? "negation" : null }, words) : words;
  }
}

// -- all fields -------------------------------------------------------------------------------------------------------

const boxes = [...form.querySelectorAll("[data-claim]")].map((place) => new ClaimBox(place));
const boxOf = (box) => boxes.find((each) => each.box === box);

// A claim is a line: where several are pasted, the others go into the fields after it that are empty.
form.addEventListener("input", (event) => {
  const at = boxOf(event.target);
  if (!at?.text.includes("\n")) return;
  event.stopPropagation();
  const lines = at.text.split("\n").map((line) => line.trim()).filter(Boolean);
  const free = form.dataset.lines === undefined ? [] : boxes.slice(boxes.indexOf(at) + 1).filter((each) => each.isBlank);
  const last = Math.min(free.length, lines.length - 1);
  const texts = [...lines.slice(0, last), lines.slice(last).join(" ")];
  log.addStep(texts.map((text, number) => ["Write", `${(number ? free[number - 1] : at).name}=${text}`]));
}, true);

bindFields(form, log);

form.addEventListener("keydown", (event) => {
  if (!event.target.matches("[data-field]") || event.isComposing) return;
  const at = boxOf(event.target);
  const isChord = event.ctrlKey || event.metaKey;
  if (event.key === "Enter" && isChord) {
    event.preventDefault();
    submission.ask();
  } else if (event.key === " " && isChord) {
    event.preventDefault();
    document.getElementById("skip")?.showModal();
  } else if (event.key === "Enter" && at) {
    event.preventDefault();
    if (!event.shiftKey) goOn(at);
  } else if (at && lines && !isChord && !event.altKey && !event.shiftKey) {
    lines.key(event, at);
  }
});

// Enter goes to the next field, and never into a second line.
function goOn(at) {
  if (lines) return lines.goOn(at);
  const fields = [...form.querySelectorAll("[data-field]")].filter((field) => field.getClientRects().length);
  (fields[fields.indexOf(at.box) + 1] ?? document.querySelector("[data-submit]"))?.focus();
}

// -- advice -----------------------------------------------------------------------------------------------------------

const advising = {
  plan(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
  },

  async ask() {
    const fields = Object.fromEntries(boxes.filter((each) => !each.isBlank).map((each) => [each.name, each.text]));
    const number = (this.asked = (this.asked ?? 0) + 1);
    this.failed = false;
    if (!Object.keys(fields).length || log.connection.state === "closed") return;
    try {
      const { advice } = await log.ask(`${log.address}/advice`, { fields });
      if (number !== this.asked) return;
      for (const each of boxes) if (each.name in fields) each.take(fields[each.name], advice[each.name] ?? []);
    } catch {
      this.failed = true; // the frame says that there is no connection
    }
  },
};

let before = null;
function draw() {
  const { fields } = log.draft;
  for (const each of boxes) each.draw();
  for (const shown of root.querySelectorAll("[data-changed-claim]")) {
    const text = (fields[shown.dataset.changedClaim] ?? "").trim();
    shown.querySelector("[data-text]").textContent = text;
    shown.querySelector("[data-none]").hidden = text !== "";
  }
  for (const told of root.querySelectorAll("[data-about]")) {
    const chosen = form.querySelector(`[name="${told.dataset.about}"] option:checked`);
    told.textContent = chosen?.dataset.help ?? "";
  }
  lines?.draw();
  const now = JSON.stringify(boxes.map((each) => each.text));
  if (now !== before) advising.plan(before === null ? 0 : PAUSE);
  before = now;
}

// -- one claim a line -------------------------------------------------------------------------------------------------

// FEVER's claims: two lines to begin with, and another one with Enter, up to five.
const lines = form.dataset.lines === undefined ? null : {
  fewest: Number(form.dataset.lines),
  opened: 0,
  more: form.querySelector("[data-more]"),
  count: form.querySelector("[data-count-claims]"),

  get shown() {
    return Math.max(this.fewest, this.opened, boxes.findLastIndex((each) => !each.isBlank) + 1);
  },

  draw() {
    boxes.forEach((each, number) => { each.place.hidden = number >= this.shown; });
    this.more.hidden = this.shown === boxes.length;
    const written = boxes.filter((each) => !each.isBlank).length;
    this.count.textContent = `${counted(written, "claim")} of ${this.fewest} to ${boxes.length}`;
  },

  goOn(at) {
    const next = boxes[boxes.indexOf(at) + 1];
    if (!next) return announce(`There may be ${boxes.length} claims.`);
    this.opened = Math.max(this.opened, boxes.indexOf(next) + 1);
    this.draw();
    next.box.focus();
  },

  // Up and down leave a line where the cursor cannot go further in it; backspace closes an empty one.
  key(event, at) {
    const number = boxes.indexOf(at);
    const { selectionStart: start, selectionEnd: end } = at.box;
    if (event.key === "Backspace" && at.isBlank && number >= this.fewest && number + 1 === this.shown) {
      event.preventDefault();
      if (at.text) log.write(at.name, "");
      this.opened = number;
      this.draw();
      putCursor(boxes[number - 1].box);
    } else if (event.key === "ArrowUp" && start === 0 && end === 0 && number > 0) {
      event.preventDefault();
      putCursor(boxes[number - 1].box);
    } else if (event.key === "ArrowDown" && start === at.text.length && number + 1 < this.shown) {
      event.preventDefault();
      boxes[number + 1].box.focus();
      boxes[number + 1].box.setSelectionRange(0, 0);
    }
  },
};
lines?.more.addEventListener("click", () => lines.goOn(boxes[lines.shown - 1]));

function putCursor(box) {
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}

log.addEventListener("draft", draw);
log.addEventListener("connection", () => { if (advising.failed && log.connection.state === "saved") advising.ask(); });
draw();

// -- what is written about --------------------------------------------------------------------------------------------

// A word of the sentence leads to its entry, which opens.
for (const link of root.querySelectorAll("[data-source] a[href^='#entry-']")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const entry = document.getElementById(link.getAttribute("href").slice(1));
    entry.open = true;
    entry.querySelector("summary").focus();
  });
}

// FEVEROUS's highlight, wherever its page comes into view.
if (browser && form.dataset.highlight) {
  const { page, anchors } = JSON.parse(form.dataset.highlight);
  const mark = () => {
    const parts = browser.place === page ? anchors.map((anchor) => browser.view.querySelector(`#${CSS.escape(anchor)}`)).filter(Boolean) : [];
    for (const part of parts) part.classList.add("highlighted");
    if (parts.length && !parts[0].querySelector(":scope > .aloud")) {
      parts[0].prepend(element("span", { class: "aloud" }, "Highlight begins: "));
      parts.at(-1).append(element("span", { class: "aloud" }, " Highlight ends."));
    }
    for (const button of document.querySelectorAll("[data-return]")) button.classList.toggle("away", !parts.length);
  };
  browser.addEventListener("shown", mark);
  mark();
  if (!location.hash) browser.view.querySelector(".highlighted")?.scrollIntoView({ block: "center" });
}

// -- what is missing --------------------------------------------------------------------------------------------------

// What keeps the claims from being submitted stands at the fields that it is about, until they are changed.
const faults = {
  shown: [],

  show(found) {
    this.clear(() => true);
    const fieldOf = (name) => form.querySelector(`[data-field][name="${CSS.escape(name)}"]`);
    for (const { message, field: name } of found) {
      const field = fieldOf(name);
      if (!field || this.shown.some((each) => each.field === field)) continue;
      if (boxOf(field)?.advice.some((one) => one.message === message)) continue; // it stands there already
      const told = element("p", { class: "fault", id: `${name}-fault` }, message);
      (field.closest(".layers") ?? field).after(told);
      const described = field.getAttribute("aria-describedby");
      field.setAttribute("aria-describedby", `${told.id} ${described}`);
      field.setAttribute("aria-invalid", "true");
      this.shown.push({ field, told, described, value: field.value });
    }
    found.map((fault) => fieldOf(fault.field)).find(Boolean)?.focus();
  },

  clear(isOver) {
    for (const { field, told, described } of this.shown.filter(isOver)) {
      told.remove();
      field.setAttribute("aria-describedby", described);
      field.removeAttribute("aria-invalid");
    }
    this.shown = this.shown.filter((each) => !isOver(each));
  },
};
log.addEventListener("draft", () => faults.clear(({ field, value }) => field.value !== value));

// -- handing in -------------------------------------------------------------------------------------------------------

const labelOf = (name) => form.querySelector(`label[for="${name}"]`).textContent.trim();
const challengeOf = (name, value) => value && form.querySelector(`[name="${name}"] option[value="${CSS.escape(value)}"]`)?.textContent;

function describeClaim({ name, advice, place }, fields) {
  const text = (fields[name] ?? "").trim();
  const challenge = challengeOf(place.dataset.challenge, fields[place.dataset.challenge]);
  const isSaid = text === log.draft.fields[name]?.trim();
  return element("section", {}, element("h3", {}, labelOf(name)), element("p", { class: "claim-shown", dir: "auto" }, text),
    challenge && element("p", { class: "small quiet" }, `Expected challenge: ${challenge}`),
    isSaid && advice.length > 0 && element("ul", { class: "advice" }, ...advice.map(drawAdvice)));
}

class ClaimsSubmission extends Submission {
  tell(found) {
    super.tell(found);
    faults.show(found);
  }
}

const submission = new ClaimsSubmission(work, (draft) => {
  const written = boxes.filter(({ name }) => (draft.fields[name] ?? "").trim());
  return written.length ? written.map((each) => describeClaim(each, draft.fields)) : [element("p", { class: "quiet" }, "No claims.")];
});

keys.bind("Ctrl+Enter", "Submit: look it over first", () => submission.ask());
keys.bind("Enter", lines ? "The next claim" : "The next field");
keys.bind("w", "Write: go to the first field that is empty", () => {
  document.dispatchEvent(new CustomEvent("look-at", { detail: "answer" }));
  (boxes.find((each) => each.isBlank && !each.place.hidden) ?? boxes[0]).box.focus();
});
