// What the pages do beyond plain HTML: suggestions, keys, copying, following a job. Everything works without it.
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
      }
    } catch {
      words.textContent = "The server does not answer; trying again…";
    }
    setTimeout(follow, 1000);
  };
  setTimeout(follow, 500);
}

// -- what is marked on a page comes into view also when the address has no "#" ----------------------------------

if (!location.hash) document.querySelector(".document .marked, .document .evidence")?.scrollIntoView({ block: "center" });
