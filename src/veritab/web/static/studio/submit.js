// Handing an answer in: first everything is saved, then what is missing is told, then it is confirmed, then sent. If
// something was changed elsewhere meanwhile, both versions are shown, and one is chosen.

import { announce, element } from "./drawing.js";

const ASK_AGAIN = 2000;

export class Submission {
  // `describe(draft)` gives what the confirmation shows of a draft, as elements.
  constructor(work, describe) {
    this.work = work;
    this.log = work.log;
    this.describe = describe;
    this.dialog = document.querySelector("dialog[data-confirm]");
    this.stale = document.querySelector("dialog[data-stale]");
    this.told = document.querySelector("[data-faults]");
    for (const button of document.querySelectorAll("[data-submit]")) button.addEventListener("click", () => this.ask("flag" in button.dataset));
    this.dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    this.dialog.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.send(); } });
    this.dialog.addEventListener("close", () => { this.sending = false; });
    for (const button of this.stale.querySelectorAll("[data-choose]")) button.addEventListener("click", () => this.choose(button.dataset.choose));
  }

  // Shows what would be submitted, or what is still missing.
  async ask(flag = false) {
    this.flag = flag;
    this.tell([]);
    if (!(await this.log.settle())) return announce("Not now: the answer is not saved yet.");
    if (this.log.faults.length) return this.tell(this.log.faults);
    this.draft = this.log.draft;
    this.seen = this.log.confirmed.length;
    this.dialog.querySelector("[data-shown]").replaceChildren(...this.describe(this.draft));
    this.dialog.querySelector("[data-flagged]").hidden = !flag;
    const warnings = this.dialog.querySelector("[data-warnings]");
    warnings.replaceChildren(...this.log.warnings.map((warning) => element("li", {}, warning.message)));
    warnings.hidden = !this.log.warnings.length;
    this.say("");
    this.dialog.showModal();
  }

  tell(faults) {
    this.told.replaceChildren(...faults.map((fault) => element("li", {}, fault.message)));
    this.told.closest("[data-refused]").hidden = !faults.length;
    if (!faults.length) return;
    document.dispatchEvent(new CustomEvent("look-at", { detail: "answer" }));
    this.told.closest("[data-refused]").focus();
    const field = faults[0].field ? document.querySelector(`[data-field][name="${CSS.escape(faults[0].field)}"]`) : null;
    field?.closest("fieldset, label")?.scrollIntoView({ block: "nearest" });
  }

  say(words) {
    this.dialog.querySelector("[data-sending]").textContent = words;
  }

  // Tries until the server has answered: asked twice, it keeps the answer once and says so.
  async send() {
    if (this.sending) return;
    this.sending = true;
    this.say("Submitting …");
    while (this.sending) {
      try {
        const { to } = await this.log.ask(`${this.log.address}/submit`, { seen: this.seen, flag: this.flag });
        this.sending = false;
        return location.assign(to);
      } catch (problem) {
        await this.stumble(problem);
      }
    }
  }

  async stumble(problem) {
    if (problem.status === 409) return this.compare(problem);
    if (problem.status === 401 || problem.status === 403) {
      this.say("You are signed out. Sign in in another window; the answer is sent then.");
      try { this.log.take(await this.log.fetchEvents()); } catch { this.log.tell("expired"); }
    } else if (problem.status === 0 || problem.status === 503 || problem.status === 429) {
      this.say("There is no connection. The answer is kept, and sent as soon as there is one.");
    } else {
      this.sending = false;
      return this.say(problem.detail || "This could not be submitted.");
    }
    await new Promise((go) => setTimeout(go, ASK_AGAIN));
  }

  // The log has moved on: it was submitted already, or another window changed the draft.
  async compare(problem) {
    this.sending = false;
    try {
      this.log.take(await this.log.fetchEvents());
    } catch {
      return this.say(problem.detail);
    }
    if (this.log.connection.state === "closed") return location.reload();
    if (same(this.draft, this.log.draft)) {
      this.seen = this.log.confirmed.length;
      return this.send();
    }
    this.dialog.close();
    this.stale.querySelector("[data-mine]").replaceChildren(...this.describe(this.draft));
    this.stale.querySelector("[data-theirs]").replaceChildren(...this.describe(this.log.draft));
    this.stale.showModal();
  }

  async choose(which) {
    this.stale.close();
    if (which === "mine") this.log.addStep(stepsBetween(this.log.draft, this.draft));
    await this.ask(this.flag);
  }
}

const same = (one, other) => JSON.stringify([one.sets.filter((set) => set.length), one.fields]) === JSON.stringify([other.sets.filter((set) => set.length), other.fields]);

// The events that make one draft of another.
export function stepsBetween(from, to) {
  const steps = [];
  for (let number = 1; number <= Math.max(from.sets.length, to.sets.length); number++) {
    const old = from.sets[number - 1] ?? [];
    const wanted = to.sets[number - 1] ?? [];
    const changes = [...old.filter((id) => !wanted.includes(id)).map((id) => ["Highlighting deleted", id]), ...wanted.filter((id) => !old.includes(id)).map((id) => ["Highlighting", id])];
    if (changes.length) steps.push(["Evidence set", String(number)], ...changes);
  }
  steps.push(["Evidence set", String(to.current)]);
  const names = new Set([...Object.keys(from.fields), ...Object.keys(to.fields)]);
  for (const name of names) {
    if ((from.fields[name] ?? "") !== (to.fields[name] ?? "")) steps.push(["Write", `${name}=${to.fields[name] ?? ""}`]);
  }
  return steps;
}
