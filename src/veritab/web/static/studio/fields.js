// The fields of a form, which are the fields of the draft: what is chosen or written becomes an event, and what the
// draft says, after undo or from another window, stands in the form.

// Every input, textarea and select of `form` with data-field; data-field="shown" is one that the screen writes itself,
// because what is chosen there changes something else too.
export function bindFields(form, log) {
  const fields = [...form.querySelectorAll("[data-field]")];
  for (const field of fields) {
    if (field.dataset.field === "shown") continue;
    const text = field.matches("textarea, input[type=text]");
    field.addEventListener(text ? "input" : "change", () => log.write(field.name, field.value, text));
  }
  const show = () => {
    const written = log.draft.fields;
    for (const field of fields) {
      const value = written[field.name] ?? "";
      if (field.type === "radio") field.checked = field.value === value;
      else if (field.value !== value) field.value = value;
    }
  };
  log.addEventListener("draft", show);
  show();
}
