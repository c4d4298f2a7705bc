// Values of the part on which the pointer rests. viser tells its server of clicks and drags, but not of pointers that only rest somewhere: so the page
// asks, and shows the answer beside the pointer, as text. Nothing is kept from viser's own listeners, and touch screens never rest.
(() => {
  "use strict";
  const REST = 120, AGAIN = 250, STILL = 4, BESIDE = 14; // ms, ms, px, px
  const canvasAt = (x, y) => document.elementFromPoint(x, y)?.closest("canvas[data-engine]");
  const path = location.pathname.replace(/\/(index\.html)?$/, "") + "/under-pointer?";
  const tip = document.createElement("div");
  tip.id = "linkwork-under-pointer";
  tip.setAttribute("role", "tooltip");
  tip.style.cssText = `position:fixed;z-index:150;display:none;grid-template-columns:auto auto;column-gap:0.9em;max-width:26em;padding:0.5em 0.75em;
    pointer-events:none;font:12px/1.5 var(--mantine-font-family,sans-serif);font-variant-numeric:tabular-nums;overflow-wrap:anywhere;
    color:var(--mantine-color-text,#111);background:var(--mantine-color-body,#fff);border:1px solid var(--mantine-color-default-border,#ccc);
    border-radius:var(--mantine-radius-sm,4px);box-shadow:0 2px 10px rgba(0,0,0,0.2)`;
  let at = null, timer = 0, key = "";

  function hide() {
    clearTimeout(timer);
    at = null;
    tip.style.display = "none";
  }

  function show(text, canvas) {
    tip.replaceChildren(...text.split("\n").flatMap((line, row) => line.split("\t").map((word, column) => {
      const cell = document.createElement("span");
      cell.textContent = word;
      cell.style.cssText = row === 0 && column === 0 ? "font-weight:600" : row === 0 || column === 0 ? "opacity:0.65" : "white-space:pre-wrap";
      return cell;
    })));
    tip.style.display = "grid";
    const room = canvas.getBoundingClientRect(), { width, height } = tip.getBoundingClientRect();
    const left = at.x + BESIDE + width > room.right ? at.x - BESIDE - width : at.x + BESIDE;
    const top = at.y + BESIDE + height > room.bottom ? at.y - BESIDE - height : at.y + BESIDE;
    tip.style.left = `${Math.max(left, 0)}px`;
    tip.style.top = `${Math.max(top, 0)}px`;
  }

  async function ask(place) {
    const canvas = canvasAt(place.x, place.y);
    key = document.querySelector("[data-linkwork-page]")?.dataset.linkworkPage ?? key; // another one after viser has connected again
    if (!canvas || !key || document.hidden) return hide();
    const room = canvas.getBoundingClientRect();
    const x = (place.x - room.left) / room.width, y = (place.y - room.top) / room.height;
    const fields = { key, x: x.toFixed(6), y: y.toFixed(6), aspect: (room.width / room.height).toFixed(6) };
    const answer = await fetch(path + new URLSearchParams(fields), { cache: "no-store" }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    if (at !== place) return; // the pointer has left meanwhile
    const later = answer?.status === 429 || answer?.status === 503; // not now: what is shown stays
    if (text) show(text, canvas);
    else if (!later) tip.style.display = "none";
    if (answer && (answer.ok || later)) timer = setTimeout(ask, AGAIN, place);
  }

  function moved(event) {
    if (event.pointerType === "touch" || event.buttons || !event.target.closest?.("canvas[data-engine]")) return hide();
    if (at && Math.hypot(event.clientX - at.x, event.clientY - at.y) < STILL) return;
    hide();
    at = { x: event.clientX, y: event.clientY };
    timer = setTimeout(ask, REST, at);
  }

  for (const name of ["pointermove", "pointerup"]) addEventListener(name, moved, { capture: true, passive: true });
  for (const name of ["pointerdown", "pointercancel", "blur"]) addEventListener(name, hide, { capture: true, passive: true });
  document.documentElement.addEventListener("pointerleave", hide);
  document.body.append(tip);
})();
