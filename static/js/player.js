// The player: what is heard goes on from page to page, and what was queued follows. Without it the browser's own plays.

const BACK = 15, ON = 30, SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2], SLEEPS = [15, 30, 60];
const read = (key) => { try { return JSON.parse(localStorage[key]); } catch {} };
const keep = (key, value) => { try { localStorage[key] = JSON.stringify(value); } catch {} };
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const find = (selector, within) => all(selector, within)[0];
const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19).replace(/^0/, "");
const modified = (event) => ["ctrlKey", "metaKey", "altKey", "shiftKey"].some((key) => event[key]);

// A phone has a sheet to share links. Elsewhere a link is copied.
const canShare = navigator.share && matchMedia("(pointer: coarse)").matches;

const dock = document.createElement("section");
Object.assign(dock, { className: "dock", ariaLabel: "Player", hidden: true });
dock.style.viewTransitionName = "dock"; // it stays where it is
dock.innerHTML = `<audio preload="none"></audio>
<input class="dial" type="range" aria-label="Position" min="0" step="any">
<div class="desk"><button class="play"></button> <img class="picture" alt="" width="40" height="40" hidden>
<p><a href="/" dir="auto"></a> <small dir="auto"></small></p> <span class="clock"></span>
<div class="tools"><button>−${BACK} s<span class="hidden"> back</span></button> <button>+${ON} s<span class="hidden"> forward</span></button>
<select aria-label="Speed">${SPEEDS.map((n) => `<option value="${n}">${n} ×</option>`).join("")}</select>
<select aria-label="Sleep timer"><option value="">Sleep</option>${SLEEPS.map((n) => `<option value="${n}">${n} min</option>`).join("")}<option value="end">At end</option></select>
<label>Volume <input type="range" min="0" max="1" step="0.05"></label>
<button class="share">${canShare ? "Share" : "Copy link"}<span class="hidden"> at current time</span></button>
<button>Previous</button> <button>Whole episode</button> <button>Next</button> <button aria-haspopup="dialog">Queue</button> <button aria-label="Close player">×</button></div></div>
<button class="follow">Follow the transcript</button>
<p class="meta" role="status"></p><p class="failed" role="alert"></p>
<dialog class="queue" aria-labelledby="queue"><h2 id="queue">Up next</h2><ol></ol><p class="hidden" role="status"></p><button>Clear</button> <form method="dialog"><button autofocus>Close</button></form></dialog>`;
document.body.append(dock);
const [audio] = all("audio", dock), [dial, volume] = all("input", dock), [speed, sleep] = all("select", dock);
const [play, back, on, share, previous, whole, next, list, close] = all(".desk button", dock);
const [title] = all("a", dock), [about] = all("small", dock), [note, failed, moved] = all("[role]", dock), [time] = all(".clock", dock), [picture] = all("img", dock);
const [follow] = all(".follow", dock), [dialog] = all("dialog", dock), [clear] = all("dialog button", dock), [queued] = all("ol", dock);

let queue = [].concat(read("queue")).filter((item) => item?.path); // the first is in the player; a moment has `from` and `to`
let played = []; // the moments before it
let loaded; // the path of the episode whose sound is there
let until = Infinity, asleep = Infinity; // the position, and the moment, at which it stops
let chapters = [], paragraphs = [], spoken;
let wanted; // the moments of the page that comes
let dragged; // a row of the queue, on its way to another place

const length = () => (audio.duration < Infinity ? audio.duration : queue[0]?.seconds) || 0;
// The position; of what was not loaded yet, the one at which it will go on.
const place = () => {
  const [{ path, from, to }] = queue;
  if (loaded === path) return audio.currentTime;
  return to ? from : read(`at:${path}`) || 0;
};
const at = (from, to) => {
  from = Math.max(0, from);
  until = to || Infinity;
  if (queue[0].to !== to) queue[0].to = undefined; // whoever goes elsewhere leaves the moment
  if (loaded === queue[0]?.path) audio.currentTime = from;
  else keep(`at:${queue[0].path}`, Math.min(from, length() || from));
  draw();
};
// The moment, and its end, with which a page's sound begins.
const moment = (sound) => /#t=([\d.]+),?([\d.]*)/.exec(sound.src)?.slice(1).map(Number);

function draw() {
  const [item] = queue;
  dock.hidden = !item;
  if (!item) return;
  const here = place(), full = length();
  back.hidden = on.hidden = !!item.to;
  whole.hidden = !item.to;
  previous.hidden = !item.to || !played[0];
  const chapter = chapters.findLast(([start]) => start <= here);
  title.textContent = item.title;
  title.href = item.path;
  const number = item.to && `Moment ${played.length + 1} of ${played.length + queue.filter(({ to }) => to).length}`;
  about.textContent = [number, chapter?.[1], item.show].filter(Boolean).join(" · ");
  dial.max = full || 1;
  dial.value = here;
  dial.ariaValueText = time.textContent = clock(here) + (full ? ` / ${clock(full)}` : "");
  dial.style.setProperty("--at", `${(100 * here) / dial.max}%`);
  const latest = loaded === location.pathname ? paragraphs.findLast((one) => one.dataset.t <= here) : undefined;
  if (latest !== spoken) {
    const followed = isRead(spoken);
    spoken?.removeAttribute("aria-current");
    spoken = latest;
    spoken?.setAttribute("aria-current", "true");
    // Not where a passage is heard that the page shows by itself.
    if (followed && !audio.paused && until === Infinity) reach();
  }
  offer();
}

// Whoever reads what is heard follows it; all others, at the head of the page too, stay where they are.
function isRead(paragraph) {
  const { top, bottom } = paragraph?.getBoundingClientRect() ?? {};
  return bottom > 0 && top < innerHeight / 2 && paragraph.checkVisibility();
}
function offer() { follow.hidden = !spoken || isRead(spoken); }
function reach() {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const fold = spoken?.closest("details");
  if (fold) fold.open = true;
  spoken?.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
}

// Where something begins, ends or is queued, the buttons and the list follow.
function tell() {
  const is = !audio.paused;
  play.ariaLabel = is ? "Pause" : "Play";
  play.classList.toggle("on", is);
  for (const link of all("a.play")) {
    const mine = is && link.pathname === queue[0]?.path;
    link.classList.toggle("on", mine);
    link.firstElementChild.textContent = mine ? "Pause " : "Play ";
  }
  for (const link of all("a.range")) mark(link.closest("li"), isSame(rangeOf(link), queue[0]));
  keep("queue", queue.map(({ path, title: name, show, seconds, cover, from, to }) => ({ path, title: name, show, seconds, cover, from, to })));
  // Only the page of an episode has its cover, and that was read for the first of the queue alone.
  picture.hidden = !queue[0]?.cover;
  if (!picture.hidden && picture.getAttribute("src") !== queue[0].cover) picture.src = queue[0].cover;
  next.hidden = !queue[1];
  list.hidden = !queue[1] || !!queue[0].to; // the page has the moments
  dial.style.setProperty("--marks", chapters.map(([begin]) => `linear-gradient(var(--ink) 0 0) ${(100 * begin) / length()}% 0 / 2px 1rem no-repeat,`).join(""));
  list.textContent = `Queue (${queue.length - 1})`;
  queued.replaceChildren(...queue.slice(1).map((item) => {
    const row = document.createElement("li");
    row.innerHTML = "<a></a> <small></small> <button>↑</button> <button>↓</button> <button>×</button>";
    const [link, show, up, down, remove] = row.children;
    Object.assign(link, { textContent: item.to ? `${item.title}, ${clock(item.from)}` : item.title, href: item.path });
    show.textContent = item.show;
    Object.assign(up, { ariaLabel: `Move ${item.title} up`, disabled: item === queue[1], onclick: () => move(item, -1) });
    Object.assign(down, { ariaLabel: `Move ${item.title} down`, disabled: item === queue.at(-1), onclick: () => move(item, 1) });
    Object.assign(remove, { ariaLabel: `Remove ${item.title}`, onclick: () => enqueue(queue.filter((one) => one !== item)) });
    Object.assign(row, {
      draggable: true,
      ondragstart: () => { dragged = item; },
      ondragover: (event) => { if (dragged) event.preventDefault(); }, // it may be dropped here
      ondrop: (event) => { event.preventDefault(); move(dragged, queue.indexOf(item) - queue.indexOf(dragged)); },
      ondragend: () => { dragged = undefined; },
    });
    return row;
  }));
  draw();
}

const entry = (link) => ({ path: link.pathname, title: link.dataset.title, show: link.dataset.show });
const rangeOf = (link) => {
  const [from, to] = new URL(link.href).searchParams.get("t").split("-").map(Number);
  return { ...entry(link), from, to };
};
// The row of the moment that is heard comes into view.
function mark(row, is) {
  if (is && !row.ariaCurrent) row.scrollIntoView({ block: "nearest" });
  row.ariaCurrent = is ? "true" : null;
}
const isSame = (moment, item) => item?.to && ["path", "from", "to"].every((key) => moment[key] === item[key]);

function enqueue(items) {
  queue = items;
  tell();
  if (!dialog.open) return;
  if (!queue[1]) dialog.close();
  (find("button:last-child", queued) ?? play).focus();
}
// The focus stays with what moves, so that it can be moved on.
function move(item, by) {
  const index = queue.indexOf(item) + by;
  queue.splice(index - by, 1);
  queue.splice(index, 0, item);
  tell();
  const [up, down] = all("button", queued.children[index - 1]);
  (up.disabled || (by > 0 && !down.disabled) ? down : up).focus();
  moved.textContent = `${item.title}: ${index} of ${queue.length - 1}`;
}
// What is in the player makes way, as queued moments do for moments; what was queued follows.
const replaces = (one, queued) => (one.to || queued.to ? one.to && queued.to : one.path === queued.path);
const front = (items) => enqueue([...items, ...queue.slice(1).filter((item) => !items.some((one) => replaces(one, item)))]);

// A range leaves the kept position as it is until it is played on beyond its end.
const save = (media = audio, path = loaded, ranged = until < Infinity) => {
  if (ranged || !media.duration) return;
  const through = media.currentTime > media.duration * 0.95;
  keep(`at:${path}`, through ? 0 : media.currentTime);
  if (through) document.dispatchEvent(new CustomEvent("heard", { detail: path }));
};

// The start page offers the last one again.
const remember = ({ path, title: name, show }) => {
  const earlier = [].concat(read("recent") ?? []).filter((item) => item?.path !== path);
  keep("recent", [{ path, title: name, show }, ...earlier].slice(0, 10));
};

// Takes the sound of an episode's page; nothing is fetched before it plays.
function take(box, path) {
  const sound = find("audio", box), { title: name, show, seconds, cover, artwork } = box.dataset;
  const { from, to } = queue[0];
  save();
  queue[0] = { path, title: name, show, seconds: Number(seconds), cover };
  loaded = path;
  remember(queue[0]);
  chapters = all("option", box).map((one) => [Number(one.value), one.label]);
  failed.hidden = true;
  failed.replaceChildren(...find(".failed", box).cloneNode(true).childNodes);
  audio.src = sound.src.replace(/#.*/, "");
  pace(speed.selectedIndex);
  at(...(moment(sound) ?? [read(`at:${path}`) || 0]));
  Object.assign(queue[0], { from, to });
  if (navigator.mediaSession) {
    navigator.mediaSession.metadata = new MediaMetadata({
      title: name, artist: show, artwork: [{ src: new URL(artwork, location).href }],
    });
  }
  tell();
}

function empty() {
  save();
  until = Infinity;
  loaded = undefined;
  chapters = [];
  failed.hidden = true;
  audio.removeAttribute("src");
  audio.load();
  tell();
}

async function start(from, to) {
  const [item] = queue;
  if (!item) return;
  if (from === undefined && loaded !== item.path) ({ from, to } = item);
  if (loaded !== item.path || audio.error) {
    empty(); // in answer to a click, so that it may play when the page has come
    note.textContent = "Loading…";
    const page = item.path === location.pathname ? document : await fetch(item.path)
      .then(async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html")).catch(() => {});
    if (item.path !== queue[0]?.path) return; // another was chosen meanwhile
    const box = page && find(".player:has(audio)", page);
    if (!box) {
      note.textContent = "";
      failed.textContent = "This episode could not be loaded. Try again, or open its page.";
      failed.hidden = false;
      return;
    }
    take(box, item.path);
  }
  if (from !== undefined) at(from, to);
  else if (audio.ended || place() > until - 0.15) {
    until = Infinity;
    item.to = undefined;
  }
  audio.play().catch(() => { note.textContent = ""; });
}

const toggle = () => (audio.paused ? start() : audio.pause());
const skip = (by) => at(place() + by);
const follows = () => {
  if (!queue[1]) return;
  save();
  if (queue[0].to) played.push(queue[0]);
  enqueue(queue.slice(1));
  start(queue[0].from, queue[0].to);
};
const precedes = () => {
  if (played[0]) enqueue([played.pop(), ...queue]);
  start(queue[0].from, queue[0].to);
};
const pace = (place) => {
  if (!speed.options[place]) return;
  speed.selectedIndex = place;
  audio.defaultPlaybackRate = audio.playbackRate = speed.value;
  keep("speed", Number(speed.value));
};
speed.value = read("speed");
pace(speed.value ? speed.selectedIndex : SPEEDS.indexOf(1));
audio.volume = volume.value = read("volume") ?? 1;

speed.onchange = () => pace(speed.selectedIndex);
sleep.onchange = () => { asleep = Number(sleep.value) ? Date.now() + sleep.value * 60_000 : Infinity; };
volume.oninput = () => keep("volume", audio.volume = Number(volume.value));
dial.oninput = () => at(Number(dial.value));
play.onclick = toggle;
back.onclick = () => skip(-BACK);
on.onclick = () => skip(ON);
next.onclick = follows;
previous.onclick = precedes;
whole.onclick = () => start(place());
list.onclick = () => dialog.showModal();
clear.onclick = () => enqueue(queue.slice(0, 1));
follow.onclick = reach;
close.onclick = () => { empty(); played = []; enqueue([]); };
share.onclick = async () => {
  const link = `${new URL(queue[0].path, location)}?t=${Math.floor(place())}`;
  if (canShare) return navigator.share({ title: queue[0].title, url: link }).catch(() => {}); // closed without a choice
  try {
    await navigator.clipboard.writeText(link);
    say("Copied");
  } catch { prompt("Copy:", link); }
};
dialog.onclick = ({ target }) => { if (target.matches("a")) dialog.close(); };

let saved = 0, fading;
const say = (text) => {
  note.textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => { note.textContent = ""; }, 5000);
};
audio.ontimeupdate = () => {
  if (Math.abs(audio.currentTime - saved) > 4) {
    saved = audio.currentTime;
    save();
  }
  if (!audio.paused && place() > until - 0.15) {
    if (queue[0].to && queue[1]?.to) follows();
    else audio.pause();
  }
  if (Date.now() > asleep) { asleep = Infinity; sleep.value = ""; audio.pause(); }
  draw();
};
audio.onwaiting = () => { note.textContent = "Loading…"; };
audio.onplaying = () => { note.textContent = ""; failed.hidden = true; };
audio.onplay = () => { find(".player video")?.pause(); tell(); };
audio.onpause = () => { save(); tell(); };
audio.onerror = () => { note.textContent = ""; failed.hidden = false; audio.pause(); };
audio.onended = () => {
  if (sleep.value === "end") sleep.value = "";
  else if (until === Infinity || queue[1]?.to) follows();
};
audio.ondurationchange = audio.onseeked = audio.onratechange = () => {
  const { duration, playbackRate, currentTime: position } = audio;
  tell();
  if (duration < Infinity) navigator.mediaSession?.setPositionState?.({ duration, playbackRate, position });
};
addEventListener("pagehide", () => save());

const acts = { play: () => start(), pause: () => audio.pause(), seekbackward: back.onclick, seekforward: on.onclick, seekto: ({ seekTime }) => at(seekTime), nexttrack: follows, previoustrack: precedes };
for (const [name, act] of Object.entries(acts)) navigator.mediaSession?.setActionHandler(name, act);

// A page that has come: what it plays, and what of it is heard.
function arrive(forward) {
  const box = find(".player"), video = box && find("video", box), sound = box && find("audio", box), path = location.pathname;
  paragraphs = all("#transcript [data-t]");
  for (const link of all("article a.play:not(:has(+ .add))")) link.insertAdjacentHTML("afterend", '<button class="add">Add to queue</button>');
  if (video) {
    video.load(); // which it could not where the page was read
    if (!moment(video)) video.currentTime = read(`at:${path}`) || 0;
    video.onpause = video.ontimeupdate = () => save(video, path, video.currentTime < moment(video)?.[1] + 1);
    video.onplay = () => audio.pause();
    video.onerror = () => { find(".failed", box).hidden = false; };
  }
  if (sound) {
    box.classList.add("ready");
    const begin = moment(sound), left = read(`at:${path}`);
    if (loaded === path) { if (begin && forward) at(...begin); }
    else if (begin && audio.paused) {
      front([{ path }]);
      take(box, path);
    } else if (left && !begin) find("[role=status]", box).textContent = `Resumes at ${clock(left)}`;
  }
  tell();
  if (wanted && find("a.range")) playFrom(find("a.range"));
  wanted = false;
}
document.addEventListener("swapped", ({ detail }) => arrive(detail));
arrive(true);

const own = () => ({ path: location.pathname, title: find(".player").dataset.title });
// The moments of a page, from one of them on.
function playFrom(link) {
  const links = all("a.range"), moments = links.map(rangeOf), index = links.indexOf(link);
  played = moments.slice(0, index);
  front(moments.slice(index));
  start(queue[0].from, queue[0].to);
}
const choose = (item) => {
  if (item.path === queue[0]?.path) return toggle();
  front([item]);
  start();
};
const clicks = {
  ".add": (button) => { enqueue([...queue, entry(button.previousElementSibling)]); say("Added to queue"); },
  ".play-ranges, a.range": (button) => playFrom(button.matches("a") ? button : find("a.range")),
  "a.onward": (link) => { front([entry(link)]); start(rangeOf(link).from); },
  ".play-all": () => { front(all(".entries a.play").map(entry)); start(); },
  ".player a.play": () => choose(own()),
  "a.play": (link) => choose(entry(link)),
  'body:has(.player) a.time[href^="?"]': (link) => {
    const [from, to] = new URL(link.href).searchParams.get("t").split("-").map(Number), video = find(".player video");
    history.replaceState(history.state, "", link.href);
    document.dispatchEvent(new Event("moved"));
    if (video) {
      video.currentTime = from;
      return video.play().catch(() => {});
    }
    if (queue[0]?.path !== location.pathname) front([own()]);
    start(from, to);
  },
};
document.addEventListener("click", (event) => {
  const [selector, act] = Object.entries(clicks).find(([one]) => event.target.closest(one)) ?? [];
  if (!act || modified(event)) return;
  event.preventDefault();
  act(event.target.closest(selector));
});

// A way to the page of moments plays them at once: the player that shows lets that page come in place.
document.addEventListener("click", (event) => {
  if (!event.target.closest("a.play-moments") || modified(event)) return;
  empty(); // in answer to a click, so that it may play when the page has come
  dock.hidden = false;
  note.textContent = "Loading…";
  wanted = true;
});

const keys = {
  " ": toggle,
  ArrowLeft: () => (queue[0].to ? precedes() : skip(-BACK)), ArrowRight: () => (queue[0].to ? follows() : skip(ON)),
  ",": () => pace(speed.selectedIndex - 1), ".": () => pace(speed.selectedIndex + 1),
};
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (modified(event) || target.closest("input:not(.dial), select, textarea, dialog")) return;
  // Signs are the player's only where the player has the focus.
  const elsewhere = /[,.]/.test(key) ? !dock.contains(target) : target.closest(`video${key === " " ? ", button, summary, a:not(.play)" : ""}`);
  const first = dock.hidden ? find(".player.ready a.play, a.range") : dock;
  if (!keys[key] || elsewhere || !first) return;
  event.preventDefault();
  if (dock.hidden) first.click();
  else keys[key]();
});
addEventListener("scroll", offer, { passive: true });
