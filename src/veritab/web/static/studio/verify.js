// Verifying a claim: evidence from the corpus, a verdict, a challenge. FEVEROUS's screen, and that of plain claims.

import { announce, element } from "./drawing.js";
import { Marking, Tray, listSets } from "./evidence.js";
import { bindFields } from "./fields.js";
import { Submission } from "./submit.js";
import { openWork } from "./work.js";

const NOT_ENOUGH = "NOT ENOUGH INFO";

const work = openWork();
const { root, log, browser, keys, time } = work;
const form = root.querySelector("[data-answer]");
form.addEventListener("submit", (event) => event.preventDefault());

const marking = new Marking(browser, log);
const tray = new Tray(root.querySelector("[data-tray]"), log, browser, { most: Number(root.dataset.mostSets) });
for (const name of ["row", "column"]) root.querySelector(`[data-${name}]`).addEventListener("click", () => marking.toggleLine(name));

bindFields(form, log);

// -- the verdict and what goes with it: each choice is one step -------------------------------------------------------

const inputs = (name) => [...form.querySelectorAll(`[name=${name}]`)];
const verdicts = inputs("verdict");
const misled = form.querySelector("[data-misled]");
const rest = form.querySelector("[data-rest]");
const noLabel = form.querySelector("[data-no-label]");
const changed = form.querySelector("[data-verdict-changed]");
const cause = form.querySelector("[data-cause]");
const wantsEvidence = form.querySelector("[data-wants-evidence]");

const choices = {
  verdict(value) {
    log.addStep([["Write", `verdict=${value}`], ...(misled && log.draft.fields.misled ? [["Write", "misled="]] : [])]);
  },
  // Nobody is misled by what may be true after all.
  misled(value) {
    log.addStep([["Write", `misled=${value}`], ...(value === "no" ? [["Write", `verdict=${NOT_ENOUGH}`]] : [])]);
    if (value !== "no") return;
    announce(changed.textContent);
    verdicts.at(-1).focus();
  },
  // What nobody understands gets no verdict.
  rating(value) {
    log.addStep([["Write", `rating=${value}`], ...(value === "incomprehensible" && log.draft.fields.verdict ? [["Write", "verdict="]] : [])]);
  },
};
for (const [name, choose] of Object.entries(choices)) {
  for (const input of inputs(name)) input.addEventListener("change", () => choose(input.value));
}

function draw() {
  const { verdict = "", rating = "", misled: answered = "" } = log.draft.fields;
  if (misled) misled.hidden = verdict !== "REFUTES";
  if (cause) cause.hidden = verdict !== "REFUTES";
  if (noLabel) {
    rest.hidden = !rating || rating === "incomprehensible";
    noLabel.hidden = rating !== "incomprehensible";
  }
  changed.hidden = !(verdict === NOT_ENOUGH && answered === "no");
  changed.textContent = changed.hidden ? "" : "You would not be misled, so the verdict is: not enough information.";
  wantsEvidence.hidden = verdict !== NOT_ENOUGH || log.draft.sets.some((set) => set.length);
  for (const each of verdicts) each.disabled = time.isOver && each.value !== NOT_ENOUGH;
}
log.addEventListener("draft", draw);
time.addEventListener("over", draw);
draw();

function give(number) {
  const verdict = verdicts[number];
  if (verdict.disabled || rest.hidden) return;
  choices.verdict(verdict.value);
  announce(`Verdict: ${wordsFor("verdict", verdict.value)}`);
}

// -- handing in -------------------------------------------------------------------------------------------------------

const NAMES = { rating: "Rating", verdict: "Verdict", misled: "Misled by the claim", challenge: "Challenge", cause: "What makes it false", note: "Note" };
const wordsFor = (name, value) => inputs(name).find((input) => input.value === value)?.closest("label")?.querySelector("[data-words]").textContent ?? value;

function isShown(name, fields) {
  if (!fields[name] || !inputs(name).length) return false;
  if (name === "misled" || name === "cause") return fields.verdict === "REFUTES";
  return fields.rating !== "incomprehensible" || name === "rating" || name === "note";
}

const submission = new Submission(work, (draft) => [
  element("dl", { class: "answer-shown" }, ...Object.keys(NAMES).filter((name) => isShown(name, draft.fields)).flatMap((name) => [
    element("dt", {}, NAMES[name]), element("dd", { dir: "auto" }, wordsFor(name, draft.fields[name])),
  ])),
  ...listSets(draft, log.pieces),
]);

keys.bind("Ctrl+Enter", "Submit; you look it over first", () => submission.ask());
verdicts.forEach((verdict, number) => keys.bind(String(number + 1), `Verdict: ${wordsFor("verdict", verdict.value).toLowerCase()}`, () => give(number)));
keys.bind("e", "Go to the page, to mark evidence", () => {
  document.dispatchEvent(new CustomEvent("look-at", { detail: "pages" }));
  marking.cursor?.focus();
});
keys.bind("↑ ↓ ← →", "Move on the page");
keys.bind("Enter", "Add what has the focus, or take it away");
keys.bind("r", "The whole row", () => marking.toggleLine("row"));
keys.bind("c", "The whole column", () => marking.toggleLine("column"));
if (tray.most > 1) keys.bind("n", "Another evidence set", () => tray.addSet());
