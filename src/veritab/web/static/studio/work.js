// The frame of every working screen: the log, the corpus beside the task, what tells whether all is saved, the time, the
// keys that all screens have, and the dialogs. A screen is a module of its own that begins with `openWork()`.

import { Browser } from "./browser.js";
import { clock, counted, element } from "./drawing.js";
import { Keys } from "./keys.js";
import { Log } from "./log.js";
import { openSides } from "./sides.js";
import { loadSuggestion } from "./suggestion.js";

// {root, log, browser, keys, time}; `browser` is null where a screen has none.
export function openWork() {
  const root = document.querySelector("[data-work]");
  const opened = JSON.parse(document.getElementById("opened").textContent);
  const log = new Log(root.dataset.work, opened);
  const pages = root.querySelector("[data-browser]");
  const work = { root, log, opened, browser: pages && new Browser(pages, log), keys: new Keys(), time: new Time(root, log) };
  new Saving(root, log);
  openUndo(work);
  openDialogs(work);
  openSides(root, log);
  openComments(root, log);
  loadSuggestion(work.browser);
  return work;
}

// -- whether all is saved ---------------------------------------------------------------------------------------------

const ENDED = {
  submitted: "This task was submitted in another window.",
  skipped: "This task was skipped in another window.",
  reported: "This claim was reported in another window.",
  expired: "This task was open for too long without a sign of life, and went back to the others.",
};

const sentence = (words) => (words ? `${words[0].toUpperCase()}${words.slice(1)}.` : "This task is over.");

class Saving {
  constructor(root, log) {
    this.log = log;
    this.state = root.querySelector("[data-saved]");
    this.banner = root.querySelector("[data-banner]");
    this.words = this.banner.querySelector("[data-words]");
    this.signIn = this.banner.querySelector("[data-sign-in]");
    this.again = this.banner.querySelector("[data-again]");
    this.leave = this.banner.querySelector("[data-leave]");
    this.again.addEventListener("click", () => log.try().then(() => log.look()));
    addEventListener("focus", () => { if (log.connection.state === "expired") log.try(); });
    log.addEventListener("connection", () => this.draw());
    this.dismiss = this.banner.querySelector("[data-dismiss]");
    this.dismiss.addEventListener("click", () => { this.refused = ""; this.draw(); });
    log.addEventListener("refused", (event) => { this.refused = `One step could not be kept and was left out: ${event.detail}`; this.draw(); });
    this.draw();
  }

  draw() {
    const { state, waiting, reason, detail, kept: isKept } = this.log.connection;
    this.state.textContent = { saved: "Saved", saving: "Saving …", offline: "Not saved yet", expired: "Not saved yet", closed: "Over" }[state];
    this.state.dataset.state = state;
    const kept = waiting ? `${counted(waiting, "step")} ${waiting === 1 ? "is" : "are"} kept in this browser and will be sent.` : "Nothing is lost.";
    if (state === "offline") this.tell(`No connection to the studio. You can go on: ${kept}`, { again: true });
    else if (state === "expired") this.tell(`You are signed out. ${kept} Sign in again, then go on here.`, { signIn: true, again: true });
    else if (state === "closed") this.tell(`${ENDED[reason] ?? sentence(detail)}${!waiting ? "" : isKept ? ` ${kept}` : ` ${counted(waiting, "step")} of this window came too late.`}`, { leave: true });
    else this.tell(this.refused ?? "", { dismiss: true });
  }

  tell(words, { signIn = false, again = false, leave = false, dismiss = false }) {
    if (this.words.textContent !== words) this.words.textContent = words;
    this.banner.hidden = !words;
    this.signIn.hidden = !signIn;
    this.again.hidden = !again;
    this.leave.hidden = !leave;
    this.dismiss.hidden = !dismiss;
  }
}

// -- time -------------------------------------------------------------------------------------------------------------

// Counts up against what is advised. Events: "over", once, when that is a limit and it is reached.
class Time extends EventTarget {
  constructor(root, log) {
    super();
    this.log = log;
    this.shown = root.querySelector("[data-clock]");
    this.advised = Number(root.dataset.advised || 0);
    this.isLimit = "limit" in root.dataset;
    this.told = root.querySelector("[data-time-told]");
    if (!this.shown) return;
    setInterval(() => this.draw(), 1000);
    this.draw();
  }

  get isOver() {
    return this.isLimit && this.log.seconds >= this.advised;
  }

  draw() {
    this.shown.textContent = clock(this.log.seconds);
    const late = this.advised > 0 && this.log.seconds >= this.advised;
    if (late === this.late) return;
    this.late = late;
    this.shown.closest(".clock").classList.toggle("late", late);
    if (this.told && late) this.told.hidden = false;
    if (this.isOver) this.dispatchEvent(new Event("over"));
  }
}

// -- undo, dialogs, sides, comments -----------------------------------------------------------------------------------

function openUndo({ root, log, keys }) {
  const [undo, redo] = [root.querySelector("[data-undo]"), root.querySelector("[data-redo]")];
  undo.addEventListener("click", () => log.undo());
  redo.addEventListener("click", () => log.redo());
  const draw = () => {
    undo.disabled = !log.draft.canUndo;
    redo.disabled = !log.draft.canRedo;
  };
  log.addEventListener("draft", draw);
  draw();
  keys.bind("Ctrl+Z", "Undo", () => log.undo());
  keys.bind("Ctrl+Shift+Z", "Redo", () => log.redo());
}

function openDialogs({ root, log, keys, browser }) {
  for (const button of document.querySelectorAll("[data-opens]")) {
    button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    for (const close of dialog.querySelectorAll("[data-close]")) close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  // A form that ends the task goes off only when everything before it is saved.
  for (const form of document.querySelectorAll("form[data-ends]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!(await log.flush())) return form.closest("dialog")?.close();
      form.querySelector("[name=form_token]").value = log.token;
      form.submit();
    });
  }
  const skip = document.getElementById("skip");
  if (skip) keys.bind("Ctrl+Space", "Skip this task", () => skip.showModal());
  if (browser) {
    keys.bind("/", "Search", () => focusOn(root.querySelector("[data-search] input")));
    keys.bind("f", "Find on the page", () => focusOn(root.querySelector("[data-find] input")));
    keys.bind("b", "Back to the page before", () => root.querySelector("[data-back]:not(:disabled)")?.click());
  }
  if (root.querySelector("[data-return]")) keys.bind("h", "Return to the highlight", () => root.querySelector("[data-return]").click());
}

function focusOn(box) {
  if (!box) return;
  document.dispatchEvent(new CustomEvent("look-at", { detail: "pages" }));
  box.focus();
  box.select();
}

function openComments(root, log) {
  const form = root.querySelector("form[data-comment]");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const box = form.querySelector("textarea");
    const told = form.querySelector("[data-told]");
    if (!box.value.trim()) return box.focus();
    try {
      const { who, text } = await log.ask(form.action, new URLSearchParams({ text: box.value }));
      root.querySelector("[data-comments]").append(element("li", {}, element("p", { class: "quiet small" }, who), element("p", { dir: "auto" }, text)));
      box.value = "";
      told.textContent = "Kept.";
    } catch (problem) {
      told.textContent = problem.detail || "Not kept: there is no connection. Try again in a moment.";
    }
  });
}
