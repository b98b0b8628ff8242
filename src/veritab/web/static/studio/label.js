// FEVER's labelling: a sentence of the main page with what is ticked beside it, from the pages that it links to or that
// are added, supports or refutes the claim. Each such group is an evidence set of its own.

import { announce, counted, element } from "./drawing.js";
import { TitleBox } from "./browser.js";
import { drawPlace, listSets } from "./evidence.js";
import { Submission } from "./submit.js";
import { openWork } from "./work.js";

const WORDS = { SUPPORTS: "Supports", REFUTES: "Refutes" };

const work = openWork();
const { root, log, keys } = work;
const labelling = root.querySelector("[data-labelling]");
const { main, introduction, suggest } = labelling.dataset;
const mostSets = Number(root.dataset.mostSets);
const sentences = [];

if (main && log.last("Now on") !== main) log.add("Now on", main);

// -- groups -----------------------------------------------------------------------------------------------------------

const verdictOf = (number, draft = log.draft) => draft.fields[`set-${number}-verdict`] ?? "";
const groups = (draft = log.draft) => draft.sets.map((ids, index) => ({ ids, number: index + 1, verdict: verdictOf(index + 1, draft) })).filter(({ ids }) => ids.length);
const isSame = (one, other) => one.length === other.length && one.every((id) => other.includes(id));

// Adds a group, or says why not.
function addGroup(ids, verdict) {
  const known = groups();
  const twin = known.find((group) => isSame(group.ids, ids));
  if (twin) return `These sentences are a group already: number ${known.indexOf(twin) + 1}, which ${WORDS[twin.verdict]?.toLowerCase()} the claim. Take that one away first, if it is wrong.`;
  const free = log.draft.sets.findIndex((set) => !set.length);
  const number = free >= 0 ? free + 1 : log.draft.sets.length + 1;
  if (number > mostSets) return `There are ${mostSets} groups already. Keep the best.`;
  log.addStep([["Evidence set", String(number)], ...ids.map((id) => ["Highlighting", id]), ["Write", `set-${number}-verdict=${verdict}`]]);
  announce(`${WORDS[verdict]}: ${counted(ids.length, "sentence")}. ${counted(known.length + 1, "group")}.`);
  return "";
}

function removeGroup({ ids, number }) {
  log.addStep([["Evidence set", String(number)], ...ids.map((id) => ["Highlighting deleted", id]), ["Write", `set-${number}-verdict=`]]);
}

const list = root.querySelector("[data-groups]");

function drawGroups() {
  const found = groups();
  root.querySelector("[data-no-groups]").hidden = found.length > 0;
  list.replaceChildren(...found.map((group) => element("li", { class: group.verdict === "REFUTES" ? "refutes" : "supports" },
    element("p", {}, element("span", { class: "chip" }, WORDS[group.verdict] ?? "No verdict"), " ",
      element("button", { type: "button", class: "link small", on: { click: () => removeGroup(group) } }, "Take it away")),
    ...group.ids.map((id) => {
      const piece = log.pieces.get(id) ?? { text: id, place: "" };
      return element("div", { class: "group-piece" }, element("p", { dir: "auto" }, piece.text), drawPlace(piece));
    }))));
  for (const sentence of sentences) sentence.mark(found);
}

// -- sentences --------------------------------------------------------------------------------------------------------

// What is open and ticked is kept by the browser until it becomes a group.
const kept = {
  name: `veritab-studio/${work.opened.log}/ticks`,
  read() { try { return JSON.parse(sessionStorage.getItem(this.name) ?? "{}"); } catch { return {}; } },
  write(id, state) { try { sessionStorage.setItem(this.name, JSON.stringify({ ...this.read(), [id]: state })); } catch { /* it is only kept for a reload */ } },
};

class MainSentence {
  constructor(line, number) {
    Object.assign(this, { line, number, id: line.dataset.sentence, links: JSON.parse(line.dataset.links), pages: [], ticked: new Set() });
    this.button = line.querySelector("[data-expand]");
    this.button.addEventListener("click", () => (this.box ? this.fold() : this.expand()));
    line.querySelector("[data-text]").addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      event.preventDefault();
      const title = new URL(link.href).searchParams.get("title");
      log.add("hyperlink", title);
      this.expand().then(() => this.dictionary.querySelector(`[data-introduction="${CSS.escape(title)}"]`)?.scrollIntoView({ block: "nearest" }));
    });
    const before = kept.read()[this.id];
    if (before?.open) {
      this.ticked = new Set(before.ticked);
      this.expand(before.pages);
    }
  }

  keep() {
    kept.write(this.id, { open: Boolean(this.box), pages: this.pages, ticked: [...this.ticked] });
  }

  async expand(added = []) {
    if (this.box) return;
    const name = `dictionary-${this.number}`;
    this.dictionary = element("div", { class: "dictionary" });
    this.told = element("p", { class: "notice bad", role: "alert", hidden: true });
    const search = element("form", { class: "browser-search" }, element("div", { class: "combo" },
      element("label", { class: "aloud", for: `${name}-page` }, "Add another page"),
      element("input", { id: `${name}-page`, type: "search", placeholder: "Add another page by its title", maxlength: 300, autocomplete: "off", dir: "auto" }),
      element("ul", { class: "suggestions", id: `${name}-list`, role: "listbox", "aria-label": "Pages", hidden: true })));
    const mainPage = element("button", { type: "button", class: "secondary", on: { click: () => { mainPage.disabled = true; this.add([main]); } } }, "Add this page");
    this.box = element("div", { class: "expanded", role: "group", "aria-label": `Sentence ${this.number + 1}` },
      element("h3", {}, "Dictionary"), this.dictionary, element("div", { class: "downloads" }, mainPage, search), this.told,
      element("div", { class: "downloads" }, ...Object.entries(WORDS).map(([verdict, words], key) =>
        element("button", { type: "button", class: `secondary ${verdict.toLowerCase()}`, data: { verdict }, on: { click: () => this.give(verdict) } }, words, " ", element("kbd", {}, String(key + 1)))),
      element("button", { type: "button", class: "secondary", data: { cancel: "" }, on: { click: () => this.cancel() } }, "Cancel ", element("kbd", {}, "3"))));
    this.line.append(this.box);
    this.line.classList.add("open");
    this.button.setAttribute("aria-expanded", "true");
    this.button.textContent = "Fold";
    new TitleBox(search, suggest, (title) => { log.add("search", title); search.querySelector("input").value = ""; this.add([title]); });
    this.dictionary.addEventListener("change", (event) => {
      if (event.target.checked) this.ticked.add(event.target.value);
      else this.ticked.delete(event.target.value);
      this.keep();
    });
    sentences.current = this;
    await this.show(this.links, "This sentence links to no page.");
    if (added.length) await this.add(added);
    this.keep();
  }

  fold() {
    this.box?.remove();
    this.box = null;
    this.pages = [];
    this.line.classList.remove("open");
    this.button.setAttribute("aria-expanded", "false");
    this.button.textContent = "Expand";
    if (sentences.current === this) sentences.current = null;
    this.keep();
  }

  async add(titles) {
    const fresh = titles.filter((title) => !this.pages.includes(title));
    this.pages.push(...fresh);
    await this.show(fresh, "");
    this.keep();
    this.dictionary.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  // The introductions of some pages, for ticking.
  async show(titles, none) {
    if (!titles.length) {
      if (none) this.dictionary.append(element("p", { class: "empty" }, none));
      return;
    }
    try {
      const query = new URLSearchParams(titles.map((title) => ["title", title]));
      const answer = await fetch(`${introduction}?${query}`, { headers: { Accept: "text/html" }, redirect: "manual" });
      const drawn = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-introductions]");
      if (!drawn) throw "nothing";
      for (const box of drawn.querySelectorAll("input")) {
        if (box.value === this.id) box.closest("label").remove();
        else box.toggleAttribute("checked", this.ticked.has(box.value));
        const text = box.closest("label")?.querySelector("span").textContent;
        const page = box.closest("[data-introduction]")?.dataset.introduction;
        if (text && !log.pieces.has(box.value)) log.pieces.set(box.value, { text, place: page, context: [], href: "" });
      }
      this.dictionary.append(...drawn.children);
    } catch {
      this.tell("The linked pages cannot be shown: there is no connection. Fold the sentence, and try again.");
    }
  }

  tell(words) {
    this.told.textContent = words;
    this.told.hidden = !words;
  }

  give(verdict) {
    if (!log.pieces.has(this.id)) log.pieces.set(this.id, { text: this.line.querySelector("[data-text]").textContent, place: main, context: [], href: "" });
    const refused = addGroup([this.id, ...this.ticked], verdict);
    if (refused) return this.tell(refused);
    this.ticked.clear();
    this.fold();
    this.button.focus();
  }

  cancel() {
    this.ticked.clear();
    this.fold();
    this.button.focus();
  }

  mark(found) {
    const own = found.map((group, index) => [group, index + 1]).filter(([group]) => group.ids[0] === this.id);
    this.line.querySelector("[data-marks]").replaceChildren(...own.map(([group, number]) =>
      element("span", { class: `chip ${group.verdict === "REFUTES" ? "refutes" : "supports"}` }, `${WORDS[group.verdict] ?? ""} ${number}`)));
  }
}

labelling.querySelectorAll("[data-sentence]").forEach((line, number) => sentences.push(new MainSentence(line, number)));
log.addEventListener("draft", drawGroups);
drawGroups();

// -- the page that the claim is about, where nobody knows it yet ------------------------------------------------------

new TitleBox(labelling.querySelector("[data-main-page]"), suggest, async (title) => {
  log.add("search", title);
  log.write("main", title);
  if (await log.flush()) location.reload();
});

// -- handing in -------------------------------------------------------------------------------------------------------

const submission = new Submission(work, (draft) => {
  const found = groups(draft);
  const verdict = found.length ? `${WORDS[found[0].verdict]} the claim` : "nothing yet";
  return [element("dl", { class: "answer-shown" }, element("dt", {}, "What you found"), element("dd", {}, verdict)),
    ...listSets(draft, log.pieces, (number) => `${WORDS[verdictOf(number, draft)] ?? "Group"}: group ${found.findIndex((group) => group.number === number) + 1}`)];
});

keys.bind("Ctrl+Enter", "Submit; you look it over first", () => submission.ask());
keys.bind("1", "The sentence that is open supports the claim", () => sentences.current?.give("SUPPORTS"));
keys.bind("2", "The sentence that is open refutes it", () => sentences.current?.give("REFUTES"));
keys.bind("3", "Cancel: neither", () => sentences.current?.cancel());
