// The time that is left of what one has begun goes on while the menu is open; without a script it stands still.

const begun = performance.now();

for (const shown of document.querySelectorAll("[data-seconds]")) {
  const seconds = Number(shown.dataset.seconds);
  const timer = setInterval(() => {
    const left = Math.max(seconds - Math.floor((performance.now() - begun) / 1000), 0);
    shown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (left === 0) {
      clearInterval(timer);
      location.replace(shown.dataset.then);
    }
  }, 1000);
}
