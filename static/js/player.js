// The player's comfort. Without it the browser's own does.

import "./site.js";

const SKIP = 15;
const PLACE = `at:${location.pathname}`;
const kept = (key) => { try { return Number(localStorage[key]) || 0; } catch { return 0; } };
const keep = (key, value) => { try { localStorage[key] = value; } catch { /* blocked */ } };
const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19);
const modified = (event) => event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;

const box = document.querySelector(".player");
const audio = box.querySelector("audio, video");
const [back, forward, share] = box.querySelectorAll("button");
const speed = box.querySelector("select");
const note = box.querySelector("[role=status]");
const failed = box.querySelector(".failed");
box.querySelector(".controls").hidden = false;

const skip = (by) => { audio.currentTime = Math.max(0, audio.currentTime + by); };
const toggle = () => (audio.paused ? audio.play().catch(() => {}) : audio.pause());
const pace = (place) => {
  if (!speed.options[place]) return;
  speed.selectedIndex = place;
  audio.defaultPlaybackRate = audio.playbackRate = speed.value;
  keep("speed", speed.value);
};
speed.value = kept("speed");
pace(speed.value ? speed.selectedIndex : 1);
speed.onchange = () => pace(speed.selectedIndex);
back.onclick = () => skip(-SKIP);
forward.onclick = () => skip(SKIP);
share.onclick = async () => {
  const link = `${location.origin}${location.pathname}?t=${Math.floor(audio.currentTime)}`;
  try {
    await navigator.clipboard.writeText(link);
    note.textContent = "Copied";
  } catch { prompt("Copy:", link); }
};

const stopped = kept(PLACE);
if (stopped && !audio.src.includes("#t=")) {
  audio.currentTime = stopped;
  note.textContent = `Resumes at ${clock(stopped)}`;
}
let saved = 0;
const save = () => {
  if (!audio.duration) return;
  saved = audio.currentTime;
  const through = saved > audio.duration * 0.95;
  keep(PLACE, through ? 0 : saved);
  if (through) document.dispatchEvent(new Event("heard"));
};
audio.ontimeupdate = () => { if (Math.abs(audio.currentTime - saved) > 4) save(); };
audio.onpause = save;
addEventListener("pagehide", save);
// On a phone audio sticks to the bottom.
audio.onplaying = () => {
  box.style.minBlockSize ||= `${box.offsetHeight}px`;
  box.classList.toggle("playing", audio.matches("audio"));
  note.textContent = "";
  failed.hidden = true;
};
audio.onended = audio.onerror = () => {
  box.classList.remove("playing");
  failed.hidden = !audio.error;
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.time");
  if (!link || modified(event)) return;
  event.preventDefault();
  history.replaceState(null, "", link.href);
  audio.currentTime = new URL(link.href).searchParams.get("t");
  if (audio.paused) toggle();
});

const keys = {
  " ": toggle, k: toggle, ArrowLeft: back.onclick, ArrowRight: forward.onclick,
  ",": () => pace(speed.selectedIndex - 1), ".": () => pace(speed.selectedIndex + 1),
};
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!keys[key] || modified(event)) return;
  // Single letters and signs are the player's only where the player has the focus.
  const elsewhere = /[k,.]/.test(key) ? !box.contains(target) : target.closest(`audio, video${key === " " ? ", button, summary, a" : ""}`);
  if (elsewhere || target.closest("input, select, textarea, dialog")) return;
  event.preventDefault();
  keys[key]();
});

if (navigator.mediaSession) {
  navigator.mediaSession.metadata = new MediaMetadata({ title: document.title });
  navigator.mediaSession.setActionHandler("seekbackward", back.onclick);
  navigator.mediaSession.setActionHandler("seekforward", forward.onclick);
}
