// The corpus beside the task: suggestions as one types, "containing ...", pages and their links, back, finding on a
// page. Each step is logged under FEVEROUS's names. The address holds the page, so a reload, the browser's own back and
// a link opened in another window all lead there; without script the server draws the same.
//
// Events: "shown" after another page or list of results is in view; "aimed" at an element of it, {at, focus}.

import { element } from "./drawing.js";

const TYPING = 150;
const FINDING = 700;
const MOST_FOUND = 2000;

export class Browser extends EventTarget {
  // `root` is [data-browser] of the template; without a log, as where a task is only looked at, nothing is logged.
  constructor(root, log) {
    super();
    this.root = root;
    this.log = log;
    this.view = root.querySelector("[data-view]");
    this.note = root.querySelector("[data-browser-note]");
    this.back = root.querySelector("[data-back]");
    this.asked = 0;
    this.depth = history.state?.depth ?? 0;
    history.replaceState({ depth: this.depth }, "");
    this.box = new TitleBox(root.querySelector("[data-search]"), root.dataset.suggest, (title) => this.look(title), (query) => this.search(query));
    this.find = new PageSearch(root.querySelector("[data-find]"), this);
    this.view.addEventListener("click", (event) => this.follow(event));
    this.back?.addEventListener("click", () => history.back());
    const home = root.dataset.home;
    for (const button of document.querySelectorAll("[data-return]")) {
      button.addEventListener("click", (event) => { event.preventDefault(); this.open(home); });
    }
    addEventListener("popstate", (event) => this.returned(event.state?.depth ?? 0));
    this.arrived();
  }

  get article() {
    return this.view.querySelector("article");
  }

  // What is in view, in the words of the log: a title, or "?search=" and the query.
  get place() {
    return this.view.firstElementChild?.dataset.place ?? "?search=";
  }

  // Opens an address such as "?title=K2#cell_0_1_2", and remembers where one came from.
  async open(address) {
    const target = new URL(address, location.href);
    if (await this.load(target)) {
      this.depth += 1;
      history.pushState({ depth: this.depth }, "", target);
      this.arrived();
      this.aim(target.hash);
    }
  }

  // A title that was chosen, and words that pages are searched for, as FEVEROUS logs them.
  async look(title) {
    this.log?.add("search", title);
    this.view.focus({ preventScroll: true });
    await this.open(`?title=${encodeURIComponent(title)}`);
  }

  async search(query) {
    this.log?.add("search", `Contains...${query}`);
    this.view.focus({ preventScroll: true });
    await this.open(`?q=${encodeURIComponent(query)}`);
  }

  async returned(depth) {
    if (depth < this.depth) this.log?.add("back-button-clicked", "back-button-clicked");
    this.depth = depth;
    if (await this.load(new URL(location.href))) {
      this.arrived();
      this.aim(location.hash);
    }
  }

  // The page or the results that an address names, in view; false where they cannot be had now.
  async load(target) {
    const { title, q } = Object.fromEntries(target.searchParams);
    const query = title !== undefined ? `${this.root.dataset.page}?title=${encodeURIComponent(title)}` : `${this.root.dataset.results}?q=${encodeURIComponent(q ?? "")}`;
    if (title !== undefined && title === this.place) return true;
    const number = ++this.asked;
    this.view.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(query, { headers: { Accept: "text/html", "X-Fragment": "1" }, redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 401) throw "You are signed out: sign in again in another window, then open the page.";
      const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = drawn.querySelector("[data-place]");
      if (!part) throw drawn.querySelector(".lead")?.textContent ?? "This page cannot be shown now.";
      if (number !== this.asked) return false;
      this.view.replaceChildren(part);
      this.view.scrollTop = 0;
      this.say("");
      return true;
    } catch (problem) {
      if (number === this.asked) this.say(typeof problem === "string" ? problem : "This page cannot be opened: there is no connection. Try again in a moment.");
      return false;
    } finally {
      if (number === this.asked) this.view.removeAttribute("aria-busy");
    }
  }

  arrived() {
    if (this.back) this.back.disabled = this.depth === 0;
    if (this.log && this.log.last("Now on") !== this.place) this.log.add("Now on", this.place);
    this.find.reset(false);
    if (this.box.input !== document.activeElement) this.box.input.value = "";
    this.dispatchEvent(new Event("shown"));
  }

  aim(hash) {
    const target = hash && this.view.querySelector(`#${CSS.escape(hash.slice(1))}`);
    if (target) {
      target.scrollIntoView({ block: "center" });
      target.classList.add("aimed");
      setTimeout(() => target.classList.remove("aimed"), 2500);
      this.dispatchEvent(new CustomEvent("aimed", { detail: { at: target, focus: true } }));
    }
  }

  follow(event) {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const address = link.getAttribute("href");
    if (address.startsWith("#")) {
      event.preventDefault();
      const heading = this.view.querySelector(`#${CSS.escape(address.slice(1))}`);
      this.log?.add("hyperlink", `${link.textContent} ${this.place}_${address.slice(1)}`);
      heading?.scrollIntoView({ block: "start" });
      heading?.focus?.();
    } else if (address.startsWith("?")) {
      event.preventDefault();
      const { title, q } = Object.fromEntries(new URLSearchParams(address.split("#")[0]));
      if (title !== undefined) this.log?.add("hyperlink", title);
      else this.log?.add("search", `Contains...${q ?? ""}`);
      this.open(address);
    }
  }

  say(words) {
    this.note.textContent = words;
    this.note.hidden = !words;
  }
}

// -- choosing a title: a combobox as the ARIA practices describe it ---------------------------------------------------

export class TitleBox {
  // `take` gets the title that was chosen. With `search` the last suggestion is to look into the pages for the words.
  constructor(form, suggest, take, search = null) {
    Object.assign(this, { suggest, take, search, chosen: -1, asked: 0 });
    this.input = form.querySelector("input");
    this.list = form.querySelector("[role=listbox]");
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", this.list.id]]) {
      this.input.setAttribute(name, value);
    }
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
    this.list.addEventListener("click", (event) => this.choose(event.target.closest("[role=option]")));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.enter(); });
  }

  get typed() {
    return this.input.value.replace(/\s+/g, " ").trim();
  }

  // Enter without a choice: the page that is called so, otherwise a search, or the first suggestion.
  enter() {
    const typed = this.typed;
    const options = [...this.list.children];
    const same = options.find((option) => option.dataset.title?.toLowerCase() === typed.toLowerCase());
    if (typed) this.choose(same ?? (this.search ? { dataset: { query: typed } } : options[0]));
  }

  ask() {
    clearTimeout(this.timer);
    const typed = this.typed;
    if (!typed) return this.close();
    this.timer = setTimeout(async () => {
      const number = ++this.asked;
      let titles = [];
      try {
        const answer = await fetch(`${this.suggest}?q=${encodeURIComponent(typed)}`, { headers: { Accept: "application/json" }, redirect: "manual" });
        titles = answer.ok ? await answer.json() : [];
      } catch {
        // No connection: a search, which is all that is left, says so.
      }
      if (number === this.asked && document.activeElement === this.input) this.show(titles, typed);
    }, TYPING);
  }

  show(titles, typed) {
    this.chosen = -1;
    this.input.removeAttribute("aria-activedescendant");
    const options = titles.map((title) => element("li", { role: "option", dir: "auto", data: { title } }, title));
    if (typed && this.search) options.push(element("li", { role: "option", class: "containing", data: { query: typed } }, "containing ", element("b", {}, typed), " …"));
    options.forEach((option, number) => {
      option.id = `${this.list.id}-${number}`;
      option.setAttribute("aria-selected", "false");
    });
    this.list.replaceChildren(...options);
    this.list.hidden = options.length === 0;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
  }

  close() {
    clearTimeout(this.timer);
    this.asked++;
    this.show([], "");
  }

  key(event) {
    const options = [...this.list.children];
    if (event.key === "Escape" && options.length) {
      event.preventDefault();
      this.close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && options.length) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.point(options, this.chosen < 0 && step < 0 ? options.length - 1 : this.chosen + step);
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.choose(options[this.chosen]);
    }
  }

  point(options, number) {
    this.chosen = number >= options.length || number < 0 ? -1 : number;
    options.forEach((option, each) => option.setAttribute("aria-selected", String(each === this.chosen)));
    if (this.chosen < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", options[this.chosen].id);
    options[this.chosen].scrollIntoView({ block: "nearest" });
  }

  choose(option) {
    if (!option) return;
    const { title, query } = option.dataset;
    this.close();
    this.input.value = title ?? query;
    if (title !== undefined) this.take(title);
    else this.search(query);
  }
}

// -- finding on a page ------------------------------------------------------------------------------------------------

class PageSearch {
  constructor(form, browser) {
    this.form = form;
    this.browser = browser;
    this.input = form.querySelector("input");
    this.count = form.querySelector("[data-count]");
    this.buttons = form.querySelectorAll("button");
    this.found = [];
    this.at = -1;
    this.input.addEventListener("input", () => this.look(true));
    this.input.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.input.value) { event.preventDefault(); this.reset(true); } });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.step(1); });
    this.input.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); this.step(-1); } });
    form.querySelector("[data-previous]").addEventListener("click", () => this.step(-1));
    form.querySelector("[data-reset]").addEventListener("click", () => { this.reset(true); this.input.focus(); });
  }

  look(typing) {
    clearTimeout(this.timer);
    const words = this.input.value.trim();
    if (!words) return this.reset(true);
    this.found = [...findRanges(this.browser.view, words)];
    this.at = -1;
    this.draw();
    this.step(1, false);
    if (typing) this.timer = setTimeout(() => this.keep(words), FINDING);
  }

  keep(words) {
    if (words !== this.kept) this.browser.log?.add("Page search", words);
    this.kept = words;
  }

  step(by, keep = true) {
    if (keep && this.input.value.trim()) this.keep(this.input.value.trim());
    if (!this.found.length) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    const range = this.found[this.at];
    range.startContainer.parentElement.scrollIntoView({ block: "center", inline: "nearest" });
    this.draw();
    this.browser.dispatchEvent(new CustomEvent("aimed", { detail: { at: range.startContainer.parentElement, focus: false } }));
  }

  reset(told) {
    clearTimeout(this.timer);
    if (told && this.kept) this.browser.log?.add("page-search-reset", "page-search-reset");
    this.kept = "";
    this.input.value = "";
    this.found = [];
    this.at = -1;
    this.draw();
  }

  draw() {
    const words = this.input.value.trim();
    const many = this.found.length === MOST_FOUND ? "or more " : "";
    this.count.textContent = words ? (this.found.length ? `${this.at + 1} of ${this.found.length.toLocaleString("en")} ${many}` : "not on this page") : "";
    for (const button of this.buttons) button.disabled = !words;
    if (!CSS.highlights) return;
    CSS.highlights.set("found", new Highlight(...this.found));
    CSS.highlights.set("found-here", new Highlight(...(this.at < 0 ? [] : [this.found[this.at]])));
  }
}

// Where words occur in the texts of a page, in whatever case; a range for each.
function* findRanges(root, words) {
  const wanted = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
  let left = MOST_FOUND;
  for (const unit of root.querySelectorAll("h2, h3, h4, h5, h6, p, li > span, caption, th, td")) {
    const nodes = [];
    let text = "";
    const walk = document.createTreeWalker(unit, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      if (walk.currentNode.parentElement.closest(".aloud")) continue;
      nodes.push([text.length, walk.currentNode]);
      text += walk.currentNode.data;
    }
    for (const match of text.matchAll(wanted)) {
      if (!left--) return;
      const range = new Range();
      range.setStart(...placeIn(nodes, match.index));
      range.setEnd(...placeIn(nodes, match.index + match[0].length, true));
      yield range;
    }
  }
}

function placeIn(nodes, offset, isEnd = false) {
  const [start, node] = nodes.findLast(([begin]) => (isEnd ? begin < offset : begin <= offset));
  return [node, offset - start];
}
