// What events say, in their order: the same rules as studio/log.py, so that undo works without a connection too.
// A test plays thousands of logs in both and compares.

const ADDING = new Set(["Highlighting", "Evidence added"]);
const REMOVING = new Set(["Highlighting deleted", "Evidence removed"]);
const EMPTY = Object.freeze({ sets: [[]], fields: {} });

// {sets, current, fields, canUndo, canRedo} of events {operation, value, key}.
export function fold(events) {
  const past = [];
  const future = [];
  let now = EMPTY;
  let step = "";
  let current = 1;
  for (const event of events) {
    if (event.operation === "Undo" && past.length) {
      future.push(now);
      now = past.pop();
      step = "";
    } else if (event.operation === "Redo" && future.length) {
      past.push(now);
      now = future.pop();
      step = "";
    } else if (event.operation === "Evidence set") {
      current = Number(event.value);
    } else {
      const after = apply(now, current, event);
      if (after === now) continue;
      const name = stepName(event);
      if (!(step && step === name)) past.push(now);
      now = after;
      step = name;
      future.length = 0;
    }
  }
  return { sets: padded(now.sets, current), current, fields: now.fields, canUndo: past.length > 0, canRedo: future.length > 0 };
}

function apply(content, current, event) {
  if (event.operation === "Write") {
    const [name, text] = splitField(event.value);
    return content.fields[name] === text ? content : { ...content, fields: { ...content.fields, [name]: text } };
  }
  if (!ADDING.has(event.operation) && !REMOVING.has(event.operation)) return content;
  const sets = padded(content.sets, current);
  const pieces = sets[current - 1];
  const there = pieces.includes(event.value);
  if (there === ADDING.has(event.operation)) return sets.length === content.sets.length ? content : { ...content, sets };
  sets[current - 1] = there ? pieces.filter((piece) => piece !== event.value) : [...pieces, event.value];
  return { ...content, sets };
}

const padded = (sets, length) => [...sets, ...Array.from({ length: Math.max(length - sets.length, 0) }, () => [])];

export function splitField(value) {
  const sign = value.indexOf("=");
  return [value.slice(0, sign), value.slice(sign + 1)];
}

// What is undone together: one gesture, or everything written into one field without a pause for something else.
function stepName(event) {
  const slash = event.key.lastIndexOf("/");
  if (slash > 0) return event.key.slice(0, slash);
  return event.operation === "Write" ? `=${splitField(event.value)[0]}` : "";
}
