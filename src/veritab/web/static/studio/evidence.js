// Marking evidence on a page, and the tray that shows what was marked. A click, or Enter on the focused element, adds an
// element to the current evidence set or takes it away again; arrow keys move; r and c take a whole row or column.
// What a reader needs beside a piece (title, sections, headers) marks itself, as the server says it.

import { announce, counted, element } from "./drawing.js";

const KINDS = ["sentence", "item", "cell", "header_cell", "table_caption", "passage"];
const MARKABLE = KINDS.map((kind) => `[id^="${kind}_"]`).join(", ");
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The element of a page with an id; null where the page in view is another one, or none.
function elementOf(article, id) {
  if (!article) return null;
  for (const prefix of new Set([article.dataset.page, article.dataset.cells])) {
    const name = id.startsWith(`${prefix}_`) ? id.slice(prefix.length + 1) : "";
    if (name === "title") return article.querySelector("[data-title-element]");
    if (/^(section|sentence|item|list|cell|header_cell|table|table_caption|passage)(_\d+)+$/.test(name)) return article.querySelector(`#${name}`);
  }
  return null;
}

export class Marking {
  constructor(browser, log) {
    this.browser = browser;
    this.log = log;
    this.painted = [];
    this.grids = new WeakMap();
    const view = browser.view;
    view.addEventListener("click", (event) => this.click(event));
    view.addEventListener("keydown", (event) => this.key(event));
    view.addEventListener("focusin", (event) => { const at = this.markable(event.target); if (at === event.target) this.point(at); });
    browser.addEventListener("shown", () => this.arrive());
    browser.addEventListener("aimed", (event) => {
      const at = this.markable(event.detail.at);
      if (!at) return;
      this.point(at);
      if (event.detail.focus) at.focus({ preventScroll: true });
    });
    log.addEventListener("draft", () => this.paint());
    this.arrive();
  }

  // -- names

  get article() {
    return this.browser.view.querySelector("article[data-page]");
  }

  idOf(at) {
    const { page, cells } = this.article.dataset;
    return `${at.id.startsWith("cell_") ? cells : page}_${at.id}`;
  }

  // The element that a click on something means.
  markable(target) {
    const found = target.closest?.(MARKABLE) ?? target.closest?.("li")?.querySelector(":scope > [id^=item_]");
    return found && this.article?.contains(found) ? found : null;
  }

  // -- moving and marking

  arrive() {
    this.all = this.article ? [...this.article.querySelectorAll(MARKABLE)] : [];
    this.cursor = null;
    for (const table of this.article?.querySelectorAll("table") ?? []) {
      table.setAttribute("role", "grid");
      table.setAttribute("aria-multiselectable", "true");
    }
    if (this.all.length) this.point(this.all[0]);
    this.painted = [];
    this.paint();
  }

  // Where the keyboard is: the one element of the page that Tab leads to.
  point(at) {
    if (this.cursor && this.cursor !== at) this.cursor.tabIndex = -1;
    this.cursor = at;
    at.tabIndex = 0;
    for (const button of document.querySelectorAll("[data-row], [data-column]")) button.disabled = !at.closest("table") || at.matches("caption");
  }

  click(event) {
    if (event.defaultPrevented || event.button) return;
    const link = event.target.closest("a[href]");
    if (link && !event.altKey) return;
    if (!event.altKey && String(getSelection()).trim() && getSelection().anchorNode && this.browser.view.contains(getSelection().anchorNode)) return; // somebody copies a text
    const at = this.markable(event.target);
    if (!at) return;
    event.preventDefault();
    this.point(at);
    at.focus({ preventScroll: true });
    this.toggle([at]);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const at = event.target;
    if (at !== this.cursor) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.toggle([at]);
    } else if (event.key in ARROWS) {
      event.preventDefault();
      this.move(at, ...ARROWS[event.key]);
    }
  }

  move(at, down, right) {
    const cell = at.matches("td, th");
    const next = (cell && down && this.gridOf(at).beside(at, down)) || this.all[this.all.indexOf(at) + (cell && down ? this.outOf(at, down) : down + right)];
    if (!next) return;
    this.point(next);
    next.focus();
  }

  // How far it is from a cell to what stands before or after its table.
  outOf(at, down) {
    const cells = this.all.filter((each) => at.closest("table").contains(each));
    const edge = down < 0 ? cells[0] : cells.at(-1);
    return this.all.indexOf(edge) + down - this.all.indexOf(at);
  }

  gridOf(cell) {
    const table = cell.closest("table");
    if (!this.grids.has(table)) this.grids.set(table, new Grid(table));
    return this.grids.get(table);
  }

  // The cells of the row or the column of where the keyboard is; its headers only where there is nothing else.
  line(name) {
    const at = this.cursor;
    if (!at?.matches("td, th")) return [];
    const cells = this.gridOf(at)[name](at).filter((cell) => cell.id);
    const values = cells.filter((cell) => !cell.id.startsWith("header_cell_"));
    return values.length ? values : cells;
  }

  toggleLine(name) {
    this.toggle(this.line(name));
  }

  // Adds what is missing; where nothing is, takes all of it away.
  toggle(elements) {
    const { sets, current } = this.log.draft;
    const here = sets[current - 1];
    const ids = elements.map((at) => this.idOf(at));
    const missing = ids.filter((id) => !here.includes(id));
    for (const at of elements) {
      const id = this.idOf(at);
      if (!this.log.pieces.has(id)) this.log.pieces.set(id, { text: textOf(at), place: this.article.dataset.title, href: `?title=${encodeURIComponent(this.article.dataset.title)}#${at.id}`, context: [] });
    }
    this.log.addStep(missing.length ? missing.map((id) => ["Highlighting", id]) : ids.map((id) => ["Highlighting deleted", id]));
    if (!ids.length) return;
    const size = this.log.draft.sets[current - 1].length;
    const what = ids.length > 1 ? counted(ids.length, "cell") : textOf(elements[0]).slice(0, 80);
    announce(`${missing.length ? "Added" : "Taken away"}: ${what}. ${counted(size, "piece")} in set ${current}.`);
  }

  // -- what is marked

  paint() {
    for (const [at, name] of this.painted) unmark(at, name);
    this.painted = [];
    if (!this.article) return;
    const { sets, current } = this.log.draft;
    sets.forEach((pieces, number) => {
      const name = number + 1 === current ? "picked" : "picked-elsewhere";
      for (const id of pieces) {
        this.mark(id, name);
        if (number + 1 === current) for (const near of this.log.pieces.get(id)?.context ?? []) this.mark(near, "context");
      }
    });
  }

  mark(id, name) {
    const at = elementOf(this.article, id);
    if (!at || at.classList.contains(name)) return;
    at.classList.add(name);
    if (name === "picked") {
      if (at.matches("td, th")) at.setAttribute("aria-selected", "true");
      else at.prepend(element("span", { class: "aloud" }, "Evidence: "));
    }
    this.painted.push([at, name]);
  }
}

function unmark(at, name) {
  at.classList.remove(name);
  if (name !== "picked") return;
  at.removeAttribute("aria-selected");
  at.querySelector(":scope > .aloud")?.remove();
}

// What an element says, without what is only said aloud of it.
export const textOf = (at) => [...at.childNodes].filter((node) => !node.classList?.contains("aloud")).map((node) => node.textContent).join("").trim();

// A table after its spans are laid out, as schema.Table does it.
class Grid {
  constructor(table) {
    this.squares = [];
    this.places = new Map();
    [...table.rows].forEach((row, number) => {
      let column = 0;
      for (const cell of row.cells) {
        const line = this.line(number);
        while (line[column]) column++;
        this.places.set(cell, [number, column]);
        for (let down = 0; down < Math.max(cell.rowSpan, 1); down++) {
          for (let right = 0; right < cell.colSpan; right++) this.line(number + down)[column + right] ??= cell;
        }
        column += cell.colSpan;
      }
    });
  }

  line(number) {
    this.squares[number] ??= [];
    return this.squares[number];
  }

  // The next named cell above or below.
  beside(cell, down) {
    const [row, column] = this.places.get(cell);
    for (let next = row + (down > 0 ? cell.rowSpan : -1); next >= 0 && next < this.squares.length; next += down) {
      if (this.squares[next]?.[column]?.id) return this.squares[next][column];
    }
    return null;
  }

  row(cell) {
    return [...new Set(this.squares[this.places.get(cell)[0]].filter(Boolean))];
  }

  column(cell) {
    const [, column] = this.places.get(cell);
    return [...new Set(this.squares.map((line) => line?.[column]).filter(Boolean))];
  }
}

// -- the tray ---------------------------------------------------------------------------------------------------------

export class Tray {
  // `root` is [data-tray]; there may be `most` sets.
  constructor(root, log, browser, { most = 3 } = {}) {
    this.root = root;
    this.log = log;
    this.browser = browser;
    this.most = most;
    this.tabs = root.querySelector("[data-sets]");
    this.list = root.querySelector("[data-pieces]");
    this.none = root.querySelector("[data-no-pieces]");
    this.drawn = new Map();
    this.tabs.addEventListener("keydown", (event) => this.key(event));
    root.querySelector("[data-add-set]")?.addEventListener("click", () => this.addSet());
    root.querySelector("[data-remove-set]")?.addEventListener("click", () => this.removeSet(log.draft.current));
    log.addEventListener("draft", () => this.draw());
    this.draw();
  }

  get count() {
    const { sets, current } = this.log.draft;
    return Math.max(sets.findLastIndex((pieces) => pieces.length) + 1, current, 1);
  }

  choose(number) {
    if (number !== this.log.draft.current) this.log.add("Evidence set", String(number));
  }

  // Goes to the first empty set, or to a new one.
  addSet() {
    const { sets } = this.log.draft;
    const empty = sets.findIndex((pieces) => !pieces.length);
    const next = empty >= 0 ? empty + 1 : sets.length + 1;
    if (next <= this.most) this.choose(next);
    else announce(`There may be ${this.most} evidence sets.`);
  }

  // Takes a set away; those after it move up, so that none is empty before a full one. One step.
  removeSet(number) {
    const { sets } = this.log.draft;
    const steps = [];
    for (let each = number; each <= sets.length; each++) {
      const old = sets[each - 1] ?? [];
      const coming = sets[each] ?? [];
      if (!old.length && !coming.length) continue;
      steps.push(["Evidence set", String(each)]);
      steps.push(...old.filter((id) => !coming.includes(id)).map((id) => ["Highlighting deleted", id]));
      steps.push(...coming.filter((id) => !old.includes(id)).map((id) => ["Highlighting", id]));
    }
    steps.push(["Evidence set", String(Math.max(Math.min(number, sets.length - 1), 1))]);
    this.log.addStep(steps);
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const tab = event.target.closest("[role=tab]");
    if (!by || !tab) return;
    event.preventDefault();
    const number = Number(tab.dataset.set) + by;
    if (number < 1 || number > this.count) return;
    this.choose(number);
    this.tabs.querySelector(`[data-set="${number}"]`).focus();
  }

  draw() {
    const { sets, current } = this.log.draft;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const tabs = Array.from({ length: this.count }, (_, index) => {
      const number = index + 1;
      return element("button", {
        type: "button", role: "tab", id: `set-${number}`, class: "set", "aria-selected": String(number === current), "aria-controls": "pieces", tabindex: number === current ? "0" : "-1",
        data: { set: number, focus: `set-${number}` }, on: { click: () => this.choose(number) },
      }, `Set ${number} `, element("span", { class: "quiet" }, `(${(sets[index] ?? []).length})`));
    });
    this.tabs.replaceChildren(...tabs);
    this.root.querySelector("[data-set-panel]").setAttribute("aria-labelledby", `set-${current}`);
    const add = this.root.querySelector("[data-add-set]");
    if (add) add.disabled = this.count >= this.most && !sets.some((pieces) => !pieces.length);
    const remove = this.root.querySelector("[data-remove-set]");
    if (remove) remove.hidden = this.count === 1;
    const pieces = sets[current - 1] ?? [];
    this.none.hidden = pieces.length > 0;
    this.list.replaceChildren(...pieces.map((id) => this.piece(id)));
    if (focused) this.root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  }

  // A piece stays as it is drawn, opened or not, until more is known of it.
  piece(id) {
    const piece = this.log.pieces.get(id) ?? { text: id, place: "", href: "" };
    if (this.drawn.get(id)?.piece !== piece) this.drawn.set(id, { piece, line: this.drawPiece(id, piece) });
    return this.drawn.get(id).line;
  }

  drawPiece(id, piece) {
    const take = element("button", {
      type: "button", class: "link remove", title: "Take it away", "aria-label": `Take away: ${piece.text}`, data: { focus: `remove-${id}` },
      on: { click: () => this.log.add("Highlighting deleted", id) },
    }, "×");
    return element("li", { data: { piece: id } }, element("details", {}, element("summary", {}, element("span", { class: "piece-text", dir: "auto" }, piece.text || "(empty)"), drawPlace(piece)),
      piece.href && element("a", { href: piece.href, class: "small", on: { click: (event) => this.show(event, piece) } }, "Show it on its page")), take);
  }

  show(event, piece) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.browser.open(piece.href);
    document.dispatchEvent(new CustomEvent("look-at", { detail: "pages" }));
  }
}

// Where a piece stands, in a line.
export function drawPlace(piece) {
  return element("span", { class: "place small", dir: "auto" }, piece.place);
}

// The evidence of a draft as the confirmation shows it: each piece with what is marked beside it.
export function listSets(draft, pieces, title = (number) => `Evidence set ${number}`) {
  const shown = draft.sets.map((ids, index) => ids.length && element("section", { class: "shown-set" }, element("h3", {}, title(index + 1)),
    element("ul", {}, ...ids.map((id) => {
      const piece = pieces.get(id) ?? { text: id, place: "" };
      return element("li", {}, element("p", { dir: "auto" }, piece.text || "(empty)"), drawPlace(piece));
    })))).filter(Boolean);
  return shown.length ? shown : [element("p", { class: "quiet" }, "No evidence.")];
}
