// Keys, the light between a finding and its places, and the lease of an open page. Every key presses
// something that stands on the page anyway: without this script nothing is lost but speed.
"use strict";

const page = document.documentElement;
page.dataset.script = "on";

// Findings first, then chunks: what is wrong before what there is.
const items = () => [...document.querySelectorAll("[data-item][data-lights]"), ...document.querySelectorAll("[data-item]:not([data-lights])")].filter((item) => item.offsetParent);
let current = null;

function choose(item) {
  if (!item) return;
  current?.removeAttribute("data-current");
  current = item;
  item.dataset.current = "true";
  const target = item.matches("details") ? item.querySelector("summary") : item.querySelector("a[data-open]") ?? item;
  if (target === item) item.tabIndex = -1;
  target.focus({ preventScroll: true });
  light(item.dataset.lights);
  if (!item.dataset.lights) item.scrollIntoView({ block: "nearest" });
}

// The places of a finding, in the answer and in its source, at once.
function light(number) {
  for (const mark of document.querySelectorAll(".lit")) mark.classList.remove("lit");
  if (!number) return;
  const marks = [...document.querySelectorAll(`[data-finding="${Number(number)}"]`)];
  for (const mark of marks) mark.classList.add("lit");
  for (const side of [".sources", ".answer"]) {
    marks.find((mark) => mark.closest(side) && mark.offsetParent)?.scrollIntoView({ block: "nearest" });
  }
}

// The findings stay in view above the texts; what is below them has to know how high they are.
const findings = document.querySelector(".findings");
const bar = document.querySelector(".bar");
function measure() {
  if (findings?.closest("main > .findings")) page.style.setProperty("--above", `${findings.offsetHeight}px`);
  if (bar) page.style.setProperty("--below", `${bar.offsetHeight}px`);
}
measure();
addEventListener("resize", measure);
bar?.addEventListener("toggle", measure, true);

function move(step) {
  const all = items();
  if (!all.length) return;
  const at = all.indexOf(current);
  choose(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)]);
}

// The chunk that a finding leads to, or the chosen chunk itself.
function chunkOf(item) {
  if (!item || item.matches("details")) return item;
  const marks = document.querySelectorAll(`.sources [data-finding="${Number(item.dataset.lights)}"]`);
  return marks[0]?.closest("details.chunk") ?? null;
}

function open(item) {
  const link = item?.querySelector("a[data-open]") ?? (item?.matches("a") ? item : null);
  if (link) return link.click();
  const chunk = chunkOf(item);
  if (!chunk) return;
  chunk.open = chunk === item ? !chunk.open : true;
  light(item.dataset.lights);
}

function call(key) {
  const item = current?.querySelector("[data-call]") ? current : document.querySelector("[data-item]:has([data-call])");
  if (!item) return;
  choose(item);
  item.querySelector(`[data-call="${key}"]`)?.click();
}

const actions = {
  j: () => move(1),
  k: () => move(-1),
  o: () => open(current ?? items()[0]),
  x: () => (chunkOf(current) ?? current)?.querySelector("input[type=checkbox]")?.click(),
  g: () => current?.dataset.group && location.assign(current.dataset.group),
  r: () => call("r"),
  f: () => call("f"),
  m: () => document.querySelector("details.raw > summary")?.click(),
  "?": () => document.getElementById("keys")?.showModal(),
};

let sent = false;
addEventListener("submit", (event) => {
  // Pressed twice, saved once.
  if (event.target.method !== "dialog") {
    if (sent) event.preventDefault();
    sent = true;
  }
});
addEventListener("pageshow", () => { sent = false; });

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
  if (event.target.closest("textarea, select, dialog[open], input:not([type=radio]):not([type=checkbox])")) return;
  const pressed = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  const action = pressed?.offsetParent ? () => pressed.click() : actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

addEventListener("click", (event) => {
  const opens = event.target.closest("[data-opens]");
  if (opens) document.getElementById(opens.dataset.opens)?.showModal();
  const item = event.target.closest("[data-item][data-lights]");
  if (item) light(item.dataset.lights);
});

// The lease: renewed while the page is open and seen; when it is lost, the page says so.
const lease = document.querySelector("form[data-renew]");
function lost() {
  lease.querySelector(".held").hidden = true;
  lease.querySelector(".held-lost").hidden = false;
  lease.dataset.lost = "true";
}
async function renew() {
  if (!lease || lease.dataset.lost || document.hidden) return;
  try {
    const body = new URLSearchParams(new FormData(lease));
    const answer = await fetch(lease.dataset.renew, { method: "POST", body });
    if (answer.status === 409) return lost();
    if (!answer.ok) return;
    const { until_ms: until, told } = await answer.json();
    lease.dataset.until = until;
    lease.querySelector(".held").textContent = told;
  } catch {
    // The network may come back before the lease ends.
  }
}
if (lease) {
  const left = Number(lease.dataset.until) - Date.now();
  setInterval(renew, Math.min(Math.max(left / 3, 2000), 120000));
  document.addEventListener("visibilitychange", renew);
}

// The queue: how many rows are selected, and the saved filters' counts, refreshed in place.
const picked = document.querySelector("[data-picked]");
function count() {
  if (picked) picked.textContent = document.querySelectorAll("[name=pick]:checked").length;
}
addEventListener("change", count);
addEventListener("pageshow", count);

async function recount() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/queue/counts");
    if (!answer.ok) return;
    for (const [name, number] of Object.entries(await answer.json())) {
      const shown = document.querySelector(`[data-count="${CSS.escape(name)}"]`);
      if (shown) shown.textContent = number;
    }
  } catch {
    // The next one may get through.
  }
}
if (document.querySelector("[data-count]")) {
  setInterval(recount, 15000);
  document.addEventListener("visibilitychange", recount);
}
