// Drawing with the browser's own means: texts stay texts, whatever they hold.

// element("li", {class: "piece", data: {id}, on: {click}}, "text", child): what is null or false is left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "data") Object.assign(made.dataset, value);
    else if (key === "on") for (const [event, listen] of Object.entries(value)) made.addEventListener(event, listen);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

// Minutes and seconds: "3:07".
export function clock(seconds) {
  const whole = Math.max(Math.floor(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Says something to those who do not see it.
export function announce(words) {
  const place = document.querySelector("[data-announce]");
  if (!place) return;
  place.textContent = "";
  setTimeout(() => { place.textContent = words; }, 30);
}
