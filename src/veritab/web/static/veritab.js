// What the pages do beyond plain HTML: counting, suggestions, keys, copying, sending documents, following work.
// Everything works without it.
"use strict";

// -- the claim box: Enter checks, Shift+Enter breaks the line ---------------------------------------------------

for (const box of document.querySelectorAll("[data-submit-on-enter]")) {
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      box.form.requestSubmit();
    }
  });
}

// -- a box that has a limit counts, and says what is too much instead of cutting it off ---------------------------

for (const box of document.querySelectorAll("[data-most]")) {
  const most = Number(box.dataset.most);
  const counter = document.createElement("p");
  counter.className = "counter";
  counter.id = `${box.id}-counter`;
  counter.setAttribute("role", "status");
  counter.hidden = true;
  (box.closest(".claim-box") ?? box).after(counter);
  box.setAttribute("aria-describedby", `${box.getAttribute("aria-describedby") ?? ""} ${counter.id}`.trim());
  const count = () => {
    const typed = box.name === "claim" ? box.value.replace(/\s+/g, " ").trim() : box.value;
    const number = typed.length > most / 2 ? [...typed].length : typed.length; // as people count, not as UTF-16 does
    const over = number - most;
    const said = `${number.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
    const told = over > 0 ? `${said}: ${over.toLocaleString("en")} too many. ${box.name === "claim" ? "Check a long claim as a text instead." : "Cut it in parts."}` : said;
    counter.hidden = number < most * 0.9;
    if (!counter.hidden) counter.textContent = told;
    counter.classList.toggle("over", over > 0);
    box.setCustomValidity(over > 0 ? told : "");
  };
  box.addEventListener("input", count);
  addEventListener("pageshow", count);
}

for (const form of document.querySelectorAll("form.claim, form.stacked")) {
  const button = form.querySelector("button[type=submit]");
  const words = button.textContent;
  form.addEventListener("submit", () => {
    button.textContent = "Checking…";
    button.setAttribute("aria-busy", "true");
  });
  // A page that the browser kept and shows again must not seem to be at work.
  addEventListener("pageshow", () => {
    button.textContent = words;
    button.removeAttribute("aria-busy");
  });
}

// -- a choice is taken at once; without script there is a button ---------------------------------------------------

for (const choice of document.querySelectorAll("[data-submit-on-change]")) {
  choice.form.querySelector("button").hidden = true;
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

// -- "/" goes to the search box ------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const box = document.querySelector("[role=search] input");
    if (box) {
      event.preventDefault();
      box.focus();
      box.select();
    }
  }
});

// -- suggestions: a combobox as the ARIA practices describe it ----------------------------------------------------

class Suggestions {
  constructor(combo) {
    this.address = combo.dataset.suggest;
    this.input = combo.querySelector("input");
    this.list = combo.querySelector("[role=listbox]");
    this.chosen = -1;
    this.asked = 0;
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", this.list.id]]) {
      this.input.setAttribute(name, value);
    }
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
    this.list.addEventListener("click", (event) => this.open(event.target.closest("[role=option]")));
  }

  ask() {
    clearTimeout(this.timer);
    const typed = this.input.value.trim();
    if (!typed) return this.close();
    this.timer = setTimeout(async () => {
      const number = ++this.asked;
      try {
        const answer = await fetch(`${this.address}${this.address.includes("?") ? "&" : "?"}q=${encodeURIComponent(typed)}`);
        const titles = answer.ok ? await answer.json() : [];
        if (number === this.asked && document.activeElement === this.input) this.show(titles);
      } catch {
        this.close(); // the server is gone or busy; the form still works
      }
    }, 120);
  }

  show(titles) {
    this.chosen = -1;
    this.input.removeAttribute("aria-activedescendant");
    this.list.replaceChildren(...titles.map(({ title, href }, number) => {
      const option = document.createElement("li");
      option.id = `${this.list.id}-${number}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.href = href;
      option.textContent = title;
      return option;
    }));
    this.list.hidden = titles.length === 0;
    this.input.setAttribute("aria-expanded", String(titles.length > 0));
  }

  close() {
    clearTimeout(this.timer);
    this.asked++;
    this.show([]);
  }

  key(event) {
    const options = [...this.list.children];
    if (event.key === "Escape" && options.length) {
      event.preventDefault();
      this.close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && options.length) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.choose(options, this.chosen < 0 && step < 0 ? options.length - 1 : this.chosen + step);
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.open(options[this.chosen]);
    }
  }

  choose(options, number) {
    this.chosen = number >= options.length || number < 0 ? -1 : number;
    options.forEach((option, each) => option.setAttribute("aria-selected", String(each === this.chosen)));
    if (this.chosen < 0) {
      this.input.removeAttribute("aria-activedescendant");
    } else {
      this.input.setAttribute("aria-activedescendant", options[this.chosen].id);
      options[this.chosen].scrollIntoView({ block: "nearest" });
    }
  }

  open(option) {
    if (option) location.assign(option.dataset.href);
  }
}

for (const combo of document.querySelectorAll("[data-suggest]")) new Suggestions(combo);

// -- copying a link -------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  field.value = new URL(field.value, location.href).href;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C"; // the browser does not let us; the text is selected
    }
  });
}

// -- following a job -------------------------------------------------------------------------------------------------

for (const panel of document.querySelectorAll("[data-job]")) {
  const words = panel.querySelector("[data-words]");
  const follow = async () => {
    try {
      const answer = await fetch(panel.dataset.job);
      if (answer.status === 404) return location.reload();
      if (answer.ok) {
        const job = await answer.json();
        words.textContent = job.words;
        panel.querySelector("progress").value = job.done;
        for (const [name, count] of Object.entries(job.counts)) {
          panel.querySelector(`[data-count=${name}]`).textContent = count.toLocaleString("en");
        }
        if (job.over) return location.reload();
      } else {
        words.textContent = "Cannot be reached just now; trying again…";
      }
    } catch {
      words.textContent = "The server does not answer; trying again…";
    }
    setTimeout(follow, 1000);
  };
  setTimeout(follow, 500);
}

// -- bringing documents: chosen, dropped or a folder; checked here before anything is sent, then sent with progress ----

class Bringing {
  constructor(form) {
    this.form = form;
    this.limits = form.dataset;
    this.suffixes = form.dataset.suffixes.split(",");
    this.files = []; // name and file; of a folder, with the folders inside it
    this.others = 0;
    this.input = form.querySelector("#files");
    this.folder = form.querySelector("[webkitdirectory]");
    this.refused = form.querySelector("[data-refused]");
    this.sending = form.querySelector("[data-sending]");
    this.cancel = form.querySelector("[data-cancel]");
    this.chosen = form.querySelector("[data-chosen]");
    this.button = form.querySelector("button[type=submit]");
    for (const part of form.querySelectorAll("[data-with-script]")) part.hidden = false;
    form.querySelector("[data-choose-folder]").addEventListener("click", () => this.folder.click());
    for (const input of [this.input, this.folder]) {
      input.addEventListener("change", () => this.choose([...input.files].map((file) => [file.webkitRelativePath || file.name, file])));
    }
    form.addEventListener("submit", (event) => this.submit(event));
    this.cancel.addEventListener("click", () => this.request?.abort());
    document.addEventListener("dragover", (event) => this.over(event));
    document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("dropping"); });
    document.addEventListener("drop", (event) => this.drop(event));
  }

  over(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    this.form.classList.add("dropping");
  }

  async drop(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    this.form.classList.remove("dropping");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const loose = [...event.dataTransfer.files].map((file) => [file.name, file]);
    this.choose(entries.some((entry) => entry.isDirectory) ? await this.walk(entries) : loose);
    this.form.scrollIntoView({ block: "nearest" });
    this.button.focus({ preventScroll: true });
  }

  async walk(entries) {
    const found = [];
    while (entries.length && found.length <= 10 * Number(this.limits.mostFiles)) {
      const entry = entries.shift();
      if (entry.isFile) {
        found.push([entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed))]);
      } else {
        const reader = entry.createReader(); // gives a hundred at a time
        for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length; ) entries.push(...some);
      }
    }
    return found;
  }

  choose(files) {
    const last = (path) => path.split("/").pop();
    const read = files.filter(([path]) => !last(path).startsWith(".") && !last(path).startsWith("~$") && this.suffixes.some((suffix) => path.toLowerCase().endsWith(suffix)));
    this.files = read;
    this.others = files.length - read.length;
    const bytes = read.reduce((sum, [, file]) => sum + file.size, 0);
    const others = this.others ? `; ${this.others} of other kinds left out` : "";
    this.chosen.textContent = files.length ? `${count(read.length, "file")}, ${megabytes(bytes)}${others}` : "";
    this.refuse(files.length ? this.fault(bytes) : "");
  }

  fault(bytes) {
    const { mostFiles, mostBytes, mostFileBytes } = this.limits;
    const large = this.files.find(([, file]) => file.size > Number(mostFileBytes));
    if (!this.files.length) return "None of these is a kind of file that is read.";
    if (this.files.length > Number(mostFiles)) return `${count(this.files.length, "file")} at once are too many; at most ${mostFiles} may be sent.`;
    if (large) return `${large[0]} has ${megabytes(large[1].size)}; a file may have ${megabytes(Number(mostFileBytes))}.`;
    if (bytes > Number(mostBytes)) return `Together they have ${megabytes(bytes)}; at most ${megabytes(Number(mostBytes))} may be sent at a time.`;
    return "";
  }

  refuse(why) {
    this.refused.textContent = why;
    this.refused.hidden = !why;
  }

  submit(event) {
    event.preventDefault();
    if (this.request) return;
    const text = this.form.querySelector("textarea").value;
    const bytes = this.files.reduce((sum, [, file]) => sum + file.size, 0);
    const fault = this.files.length || this.others ? this.fault(bytes) : text.trim() ? "" : "Choose a file first, or paste a text.";
    if (fault) return this.refuse(fault);
    this.refuse("");
    const form = new FormData();
    for (const [path, file] of this.files) form.append("files", file, path);
    if (text.trim()) form.append("text", text);
    this.send(form);
  }

  send(form) {
    const request = (this.request = new XMLHttpRequest());
    const words = this.sending.querySelector("[data-words]");
    const bar = this.sending.querySelector("progress");
    words.textContent = "Sending…";
    this.sending.hidden = this.cancel.hidden = false;
    request.upload.addEventListener("progress", ({ loaded, total }) => { bar.value = total ? (100 * loaded) / total : 0; });
    request.addEventListener("load", () => {
      if (request.status < 400) return location.assign(request.responseURL);
      this.end(told(request));
    });
    request.addEventListener("error", () => this.end("The server does not answer, or it stopped listening because this is too much; try again with less."));
    request.addEventListener("abort", () => this.end("Stopped; nothing was kept."));
    request.open("POST", this.form.action);
    request.setRequestHeader("Accept", "application/json");
    request.send(form);
  }

  end(why) {
    this.request = undefined;
    this.sending.hidden = this.cancel.hidden = true;
    this.refuse(why);
  }
}

function told(request) {
  try {
    const { detail } = JSON.parse(request.responseText);
    return detail ? `${detail[0].toUpperCase()}${detail.slice(1)}.` : "The server refused this.";
  } catch {
    return "The server refused this.";
  }
}

const count = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
const megabytes = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1024).toLocaleString("en")} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`);

for (const form of document.querySelectorAll("[data-documents]")) {
  const bringing = new Bringing(form);
  // A page that the browser kept and shows again has its files still, and must not seem to be at work.
  addEventListener("pageshow", () => { if (bringing.input.files.length) bringing.input.dispatchEvent(new Event("change")); });
}

// -- the original opens beside what was found in it; without script, on a page of its own ------------------------------

class Beside {
  constructor() {
    this.panel = document.createElement("dialog");
    this.panel.className = "beside";
    this.panel.setAttribute("aria-labelledby", "original-name");
    document.body.append(this.panel);
    this.panel.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-original]");
      if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (!this.panel.contains(link)) this.from = link;
      this.open(link.href);
    });
  }

  async open(address) {
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      const shown = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#original");
      if (!shown) return location.assign(address);
      shown.querySelector("h1").outerHTML = shown.querySelector("h1").outerHTML.replace(/^<h1/, "<h2").replace(/h1>$/, "h2>");
      const close = document.createElement("button");
      close.type = "button";
      close.className = "secondary";
      close.textContent = "Close";
      close.addEventListener("click", () => this.close());
      this.panel.replaceChildren(close, shown);
      if (!this.panel.open) this.panel.show();
      document.body.classList.add("with-beside");
      this.panel.scrollTop = 0;
      shown.querySelector("#original-name").focus();
    } catch {
      location.assign(address);
    }
  }

  close() {
    this.panel.close();
    document.body.classList.remove("with-beside");
    this.from?.focus();
  }
}

if (document.querySelector("a[data-original]")) new Beside();

// -- what is marked on a page comes into view also when the address has no "#" ----------------------------------

if (!location.hash) document.querySelector(".document .marked, .document .evidence")?.scrollIntoView({ block: "center" });
