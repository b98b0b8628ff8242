// The log of one assignment in the browser: everything done is an event with a key of its own, kept here until the
// server has it. The draft is folded from what the server has and from what is still on its way, so two windows, a
// reload, a lost connection or a server that was killed neither lose nor double anything.
//
// Listeners: "draft" (something changed), "connection" (how saving goes; see `connection`).

import { ask } from "./asking.js";
import { fold } from "./fold.js";

const SOON = 150; // milliseconds in which further events join a batch
const WRITING = 800; // while somebody types
const MOST_AT_ONCE = 100;
const SHORTEST_WAIT = 1000;
const LONGEST_WAIT = 30_000;
const LOOK_AGAIN = 60_000;

export class Log extends EventTarget {
  // `opened` is what the page or the answer to a GET of the events says: see working.py, `describe_log`.
  constructor(address, opened) {
    super();
    this.address = address;
    this.confirmed = [];
    this.pending = [];
    this.pieces = new Map();
    this.faults = [];
    this.tab = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.number = 0;
    this.connection = { state: "saved", waiting: 0 };
    this.wait = SHORTEST_WAIT;
    this.sending = null;
    this.active = false;
    this.begun = performance.now() / 1000 - opened.seconds;
    this.place = `veritab-studio/${opened.log}/`;
    this.take(opened);
    this.adopt();
    this.neighbours = new BroadcastChannel(this.place);
    this.neighbours.addEventListener("message", () => this.look());
    addEventListener("online", () => this.try());
    addEventListener("pageshow", (event) => { if (event.persisted) this.look(); }); // brought back by the back button
    addEventListener("pagehide", () => this.send(true));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.send(true) : this.look()));
    for (const sign of ["keydown", "pointerdown", "scroll"]) {
      addEventListener(sign, () => { this.active = true; }, { capture: true, passive: true });
    }
    // Somebody who reads for long does nothing that the server hears of; their lease must not end.
    setInterval(() => { if (this.active) this.look(); this.active = false; }, LOOK_AGAIN);
    if (this.pending.length) this.plan(0);
  }

  // -- what is done

  get seconds() {
    return performance.now() / 1000 - this.begun;
  }

  add(operation, value) {
    this.addStep([[operation, value]]);
  }

  // Several things that are one to whoever does them: they are undone together.
  addStep(steps) {
    if (!steps.length) return;
    const gesture = `${this.tab}-${++this.number}`;
    const seconds = Math.round(this.seconds * 1000) / 1000;
    steps.forEach(([operation, value], part) => {
      this.pending.push({ operation, value, seconds, key: steps.length > 1 ? `${gesture}/${part}` : gesture });
    });
    this.changed(SOON);
  }

  // What stands in a field now. While it is typed, only the last of it is kept.
  write(name, text, typing = false) {
    if ((this.draft.fields[name] ?? "") === text) return;
    const last = this.pending.at(-1);
    const seconds = Math.round(this.seconds * 1000) / 1000;
    if (typing && last && !last.sent && last.operation === "Write" && last.value.startsWith(`${name}=`) && !last.key.includes("/")) {
      Object.assign(last, { value: `${name}=${text}`, seconds });
    } else {
      this.pending.push({ operation: "Write", value: `${name}=${text}`, seconds, key: `${this.tab}-${++this.number}` });
    }
    this.changed(typing ? WRITING : SOON);
  }

  undo() { if (this.draft.canUndo) this.add("Undo", ""); }

  redo() { if (this.draft.canRedo) this.add("Redo", ""); }

  get draft() {
    this.folded ??= fold([...this.confirmed, ...this.pending]);
    return this.folded;
  }

  // The last value of an operation, e.g. the page that was opened last.
  last(operation) {
    return [...this.confirmed, ...this.pending].findLast((event) => event.operation === operation)?.value;
  }

  // -- what is kept until the server has it

  changed(delay) {
    this.keep();
    this.folded = null;
    this.dispatchEvent(new Event("draft"));
    if (this.connection.state === "saved") this.tell("saving");
    else this.tell(this.connection.state, this.connection);
    if (this.connection.state === "saving") this.plan(delay);
  }

  keep() {
    try {
      if (this.pending.length) localStorage.setItem(this.place + this.tab, JSON.stringify(this.pending));
      else localStorage.removeItem(this.place + this.tab);
    } catch {
      // The browser keeps nothing for pages: what is on its way is kept in memory alone.
    }
  }

  // Takes over what windows left behind that were closed or crashed. One that is still open sends its events too: they
  // have the same keys, and count once.
  adopt() {
    const known = new Set(this.confirmed.map((event) => event.key));
    for (const name of this.left()) {
      for (const event of readKept(name)) {
        if (!known.has(event.key)) this.pending.push({ ...event, sent: true });
        known.add(event.key);
      }
    }
    this.folded = null;
  }

  left() {
    try {
      return Object.keys(localStorage).filter((name) => name.startsWith(this.place) && name !== this.place + this.tab);
    } catch {
      return [];
    }
  }

  forget(keys) {
    for (const name of this.left()) {
      const kept = readKept(name).filter((event) => !keys.has(event.key));
      if (kept.length) localStorage.setItem(name, JSON.stringify(kept));
      else localStorage.removeItem(name);
    }
  }

  // -- sending

  plan(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), delay);
  }

  // At once, whatever was waited for.
  try() {
    this.wait = SHORTEST_WAIT;
    if (this.connection.state === "closed") return Promise.resolve();
    return this.send();
  }

  // Whether something was done elsewhere.
  look() {
    this.mustLook = Boolean(this.sending);
    if (!this.sending && this.connection.state !== "closed") this.exchange(() => this.fetchEvents());
  }

  // Sends what is waiting; `leaving` lets the request outlive the page.
  send(leaving = false) {
    if (this.sending || !this.pending.length || this.connection.state === "closed") return this.sending ?? Promise.resolve();
    return this.exchange(() => this.postEvents(leaving));
  }

  exchange(request) {
    clearTimeout(this.timer);
    this.sending = this.attempt(request).finally(() => {
      this.sending = null;
      if (this.connection.state === "saving") this.plan(SOON);
      else if (this.mustLook) this.look();
    });
    return this.sending;
  }

  async attempt(request) {
    try {
      this.take(await request());
      this.wait = SHORTEST_WAIT;
      this.tell(this.pending.length ? "saving" : "saved");
    } catch (problem) {
      await this.stumble(problem);
    }
  }

  async postEvents(leaving) {
    const batch = this.pending.slice(0, this.alone ? 1 : MOST_AT_ONCE);
    for (const event of batch) event.sent = true;
    const events = batch.map(({ operation, value, seconds, key }) => ({ operation, value, seconds, key }));
    return this.ask(`${this.address}/events`, { seen: this.confirmed.length, events }, leaving);
  }

  // A look at the log, which also brings the token of a new session.
  fetchEvents() {
    return this.ask(`${this.address}/events?seen=${this.confirmed.length}`);
  }

  // A request to this assignment, as `ask` makes it.
  ask(address, body, keepalive = false) {
    return ask(address, { body, token: this.token, keepalive });
  }

  // What the server says is so.
  take(said) {
    if (said.count < this.confirmed.length) return location.reload(); // the studio was brought back from a copy
    const come = said.events.map(([operation, value, key]) => ({ operation, value, key }));
    const fresh = come.slice(this.confirmed.length - said.since);
    this.confirmed.push(...fresh);
    const keys = new Set(come.map((event) => event.key));
    const before = this.pending.length;
    this.pending = this.pending.filter((event) => !keys.has(event.key));
    for (const [id, piece] of Object.entries(said.pieces)) this.pieces.set(id, piece);
    this.token = said.form_token;
    this.faults = said.faults;
    this.warnings = said.warnings;
    this.alone = false;
    this.keep();
    this.forget(keys);
    this.folded = null;
    this.dispatchEvent(new Event("draft"));
    if (this.pending.length < before) this.neighbours?.postMessage("more");
    if (["submitted", "skipped", "reported"].includes(said.state)) this.tell("closed", (this.ended = { reason: said.state }));
  }

  async stumble(problem) {
    if (problem.status === 401 || problem.status === 403) return this.renew(problem);
    if (problem.status === 400 && this.pending.length) return this.isolate(problem);
    if (problem.status === 404 || problem.status === 409) return this.end(problem);
    const wait = Math.max(this.wait, 1000 * (problem.retry || 0)) * (0.8 + 0.4 * Math.random());
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    this.tell("offline", { status: problem.status });
    this.timer = setTimeout(() => (this.pending.length ? this.send() : this.look()), wait);
  }

  // Nothing more can be added; the log itself says why, where it is still to be seen.
  async end(problem) {
    let kept = false;
    try {
      this.take(await this.fetchEvents());
    } catch (other) {
      kept = other.status === 409; // the whole task waits, as where its corpus has changed: it may go on later
    }
    this.tell("closed", { reason: "", detail: problem.detail, kept, ...this.ended });
  }

  // A session that is over, or a new one whose token this page does not know yet.
  async renew(problem) {
    try {
      const before = this.token;
      this.take(await this.fetchEvents());
      if (before === this.token) return this.tell("closed", { detail: problem.detail });
      this.tell("saving");
    } catch (other) {
      if (other.status !== 401) return this.stumble(other.status === 403 ? { ...other, status: 404 } : other);
      this.tell("expired");
      this.timer = setTimeout(() => this.try(), LONGEST_WAIT);
    }
  }

  // One event of a batch cannot be kept: it is found by sending them one by one, told, and left out.
  isolate(problem) {
    if (this.alone) {
      this.pending.shift();
      this.alone = false;
      this.keep();
      this.folded = null;
      this.dispatchEvent(new Event("draft"));
      this.dispatchEvent(new CustomEvent("refused", { detail: problem.detail }));
    } else {
      this.alone = true;
    }
    this.tell(this.pending.length ? "saving" : "saved");
  }

  tell(state, more = {}) {
    if (this.connection.state === "closed" && state !== "closed") return;
    this.connection = { ...more, state, waiting: this.pending.length };
    if (state === "closed" && !more.kept) try { localStorage.removeItem(this.place + this.tab); } catch { /* nothing was kept */ }
    this.dispatchEvent(new Event("connection"));
  }

  // Everything is saved, and what the server says of it is new.
  async settle() {
    if (!(await this.flush())) return false;
    await (this.sending ?? this.exchange(() => this.fetchEvents()));
    return this.connection.state === "saved";
  }

  // Until the server has everything; false where that cannot be now.
  async flush() {
    while (this.pending.length) {
      await (this.sending ?? this.send());
      if (!["saved", "saving"].includes(this.connection.state)) return false;
    }
    return this.connection.state !== "closed";
  }
}

function readKept(name) {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
