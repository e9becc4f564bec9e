// The player at the foot of each page. Playing goes on from page to page, and queued episodes follow.
// Without this script the browser's own player is on the page of each episode.

const SECONDS_BACK = 15;
const SECONDS_FORWARD = 30;
const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2];
const SLEEP_MINUTES = [15, 30, 60];

// Return a value that this browser keeps, or undefined. Storage may be blocked, or hold a text of an older version.
const readStored = (key) => { try { return JSON.parse(localStorage[key]); } catch {} };
const store = (key, value) => { try { localStorage[key] = JSON.stringify(value); } catch {} };
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const find = (selector, within) => findAll(selector, within)[0];
const hasModifierKey = (event) => event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;

// Return "1:02:03" or "2:03" for seconds.
function formatClock(seconds) {
  const time = new Date(seconds * 1000).toISOString(); // "1970-01-01T01:02:03.000Z"
  return time.slice(seconds < 3600 ? 14 : 11, 19).replace(/^0/, "");
}

// --- Controls -----------------------------------------------------------------------------------

// A phone has a sheet to share links. Elsewhere a link is copied.
const canShare = navigator.share && matchMedia("(pointer: coarse)").matches;

const speedOptions = SPEEDS.map((speed) => `<option value="${speed}">${speed} ×</option>`).join("");
const sleepOptions = SLEEP_MINUTES.map((minutes) => `<option value="${minutes}">${minutes} min</option>`).join("");
const dock = document.createElement("section");
Object.assign(dock, { className: "dock", ariaLabel: "Player", hidden: true });
dock.style.viewTransitionName = "dock"; // it stays where it is while a page changes
dock.innerHTML = `<audio preload="none"></audio>
<input class="dial" type="range" aria-label="Position" min="0" step="any">
<div class="desk">
  <button class="play"></button> <img class="picture" alt="" width="40" height="40" hidden>
  <p><a href="/" dir="auto"></a> <small dir="auto"></small></p> <span class="clock"></span>
  <div class="tools">
    <button>−${SECONDS_BACK} s<span class="hidden"> back</span></button>
    <button>+${SECONDS_FORWARD} s<span class="hidden"> forward</span></button>
    <select aria-label="Speed">${speedOptions}</select>
    <select aria-label="Sleep timer">
      <option value="">Sleep</option>${sleepOptions}<option value="end">At end</option>
    </select>
    <label>Volume <input type="range" min="0" max="1" step="0.05"></label>
    <button class="share">${canShare ? "Share" : "Copy link"}<span class="hidden"> at current time</span></button>
    <button>Previous</button> <button>Whole episode</button> <button>Next</button>
    <button aria-haspopup="dialog">Queue</button> <button aria-label="Close player">×</button>
  </div>
</div>
<button class="follow">Follow the transcript</button>
<p class="meta" role="status"></p><p class="failed" role="alert"></p>
<dialog class="queue" aria-labelledby="queue">
  <h2 id="queue">Up next</h2><ol></ol><p class="hidden" role="status"></p>
  <button>Clear</button> <form method="dialog"><button autofocus>Close</button></form>
</dialog>`;
document.body.append(dock);

const audio = find("audio", dock);
const [positionSlider, volumeSlider] = findAll("input", dock);
const [speedSelect, sleepSelect] = findAll("select", dock);
const [
  playButton, backButton, forwardButton, shareButton, previousButton, wholeEpisodeButton, nextButton, queueButton,
  closeButton,
] = findAll(".desk button", dock);
const cover = find(".picture", dock);
const titleLink = find(".desk a", dock);
const detailsLine = find(".desk small", dock);
const clockText = find(".clock", dock);
const followButton = find(".follow", dock);
const [statusLine, errorLine, moveStatus] = findAll("[role]", dock);
const queueDialog = find("dialog", dock);
const clearButton = find("button", queueDialog);
const queueList = find("ol", queueDialog);

// --- State --------------------------------------------------------------------------------------

// The first item is in the player. An item has the `path` of its episode; a moment has `from` and `to` in seconds, too.
let queue = [].concat(readStored("queue")).filter((item) => item?.path);
let playedMoments = []; // the moments before the first item
let loadedPath; // the path of the episode whose sound the audio element has
let stopPosition = Infinity; // in seconds of the episode
let sleepTime = Infinity; // when the sleep timer ends, in milliseconds as of Date.now()
let chapters = []; // start and title of each
let paragraphs = []; // of the transcript on this page
let currentParagraph;
let isWaitingForMoments = false; // the next page plays its moments when it comes
let draggedItem; // of the queue

const episodeLength = () => (audio.duration < Infinity ? audio.duration : queue[0]?.seconds) || 0;

// Return the position in seconds. For an episode that is not loaded yet it is where playing will begin.
function currentPosition() {
  const { path, from, to } = queue[0];
  if (loadedPath === path) return audio.currentTime;
  return to ? from : readStored(`at:${path}`) || 0;
}

// Browsers tell the position four times a second, so playing stops up to 0.15 seconds early.
const hasReachedStop = () => currentPosition() > stopPosition - 0.15;

function seek(position, newStopPosition) {
  const start = Math.max(0, position);
  const item = queue[0];
  stopPosition = newStopPosition || Infinity;
  if (item.to !== newStopPosition) item.to = undefined; // a reader who seeks leaves the moment
  if (loadedPath === item.path) audio.currentTime = start;
  else store(`at:${item.path}`, Math.min(start, episodeLength() || start));
  drawPosition();
}

// Return start and end of the range in the address of a sound ("#t=60,75"), or undefined. The end may be 0.
const rangeOfSound = (sound) => /#t=([\d.]+),?([\d.]*)/.exec(sound.src)?.slice(1).map(Number);

// --- Drawing ------------------------------------------------------------------------------------

function drawPosition() {
  const item = queue[0];
  dock.hidden = !item;
  if (!item) return;
  const position = currentPosition();
  const length = episodeLength();
  backButton.hidden = forwardButton.hidden = Boolean(item.to);
  wholeEpisodeButton.hidden = !item.to;
  previousButton.hidden = !item.to || playedMoments.length === 0;
  titleLink.textContent = item.title;
  titleLink.href = item.path;
  detailsLine.textContent = [momentNumber(item), chapterTitleAt(position), item.show].filter(Boolean).join(" · ");
  positionSlider.max = length || 1;
  positionSlider.value = position;
  clockText.textContent = formatClock(position) + (length ? ` / ${formatClock(length)}` : "");
  positionSlider.ariaValueText = clockText.textContent;
  positionSlider.style.setProperty("--at", `${(100 * position) / positionSlider.max}%`);
  drawCurrentParagraph(position);
}

function momentNumber(item) {
  if (!item.to) return "";
  const momentsLeft = queue.filter(({ to }) => to).length;
  return `Moment ${playedMoments.length + 1} of ${playedMoments.length + momentsLeft}`;
}

function chapterTitleAt(position) {
  const [, title] = chapters.findLast(([start]) => start <= position) ?? [];
  return title;
}

function drawCurrentParagraph(position) {
  const isOnPage = loadedPath === location.pathname;
  const paragraph = isOnPage ? paragraphs.findLast(({ dataset }) => dataset.t <= position) : undefined;
  if (paragraph !== currentParagraph) {
    const isFollowing = isInView(currentParagraph);
    currentParagraph?.removeAttribute("aria-current");
    currentParagraph = paragraph;
    currentParagraph?.setAttribute("aria-current", "true");
    // The page of a range shows its passage by itself.
    const isRange = stopPosition < Infinity;
    if (isFollowing && !audio.paused && !isRange) scrollToCurrentParagraph();
  }
  updateFollowButton();
}

// A reader who has the current paragraph in view follows the transcript. Others stay where they are.
function isInView(paragraph) {
  if (!paragraph) return false;
  const { top, bottom } = paragraph.getBoundingClientRect();
  return bottom > 0 && top < innerHeight / 2 && paragraph.checkVisibility();
}

function updateFollowButton() {
  followButton.hidden = !currentParagraph || isInView(currentParagraph);
}

function scrollToCurrentParagraph() {
  const fold = currentParagraph?.closest("details");
  if (fold) fold.open = true;
  const prefersNoMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  currentParagraph?.scrollIntoView({ block: "center", behavior: prefersNoMotion ? "auto" : "smooth" });
}

// Draw all that depends on the queue, and on whether the sound plays.
function draw() {
  drawPlayButtons();
  for (const link of findAll("a.range")) markCurrentRow(link.closest("li"), isSameMoment(momentOfLink(link), queue[0]));
  store("queue", queue);
  drawCover();
  nextButton.hidden = !queue[1];
  const isListedOnPage = Boolean(queue[0]?.to); // the page has a list of its moments
  queueButton.hidden = !queue[1] || isListedOnPage;
  queueButton.textContent = `Queue (${queue.length - 1})`;
  positionSlider.style.setProperty("--marks", chapters.map(chapterMark).join(""));
  queueList.replaceChildren(...queue.slice(1).map(makeQueueRow));
  drawPosition();
}

function drawPlayButtons() {
  const isPlaying = !audio.paused;
  playButton.ariaLabel = isPlaying ? "Pause" : "Play";
  playButton.classList.toggle("on", isPlaying);
  for (const link of findAll("a.play")) {
    const isPlayingThis = isPlaying && link.pathname === queue[0]?.path;
    link.classList.toggle("on", isPlayingThis);
    link.firstElementChild.textContent = isPlayingThis ? "Pause " : "Play ";
  }
}

function drawCover() {
  // Only the page of an episode has the address of its cover, so queued episodes have none.
  const address = queue[0]?.cover;
  cover.hidden = !address;
  if (address && cover.getAttribute("src") !== address) cover.src = address;
}

// Return a background of two pixels at the start of a chapter.
const chapterMark = ([start]) => (
  `linear-gradient(var(--ink) 0 0) ${(100 * start) / episodeLength()}% 0 / 2px 1rem no-repeat,`
);

function makeQueueRow(item) {
  const row = document.createElement("li");
  row.innerHTML = "<a></a> <small></small> <button>↑</button> <button>↓</button> <button>×</button>";
  const [link, show, up, down, remove] = row.children;
  const title = item.to ? `${item.title}, ${formatClock(item.from)}` : item.title;
  Object.assign(link, { textContent: title, href: item.path });
  show.textContent = item.show;
  Object.assign(up, {
    ariaLabel: `Move ${item.title} up`, disabled: item === queue[1], onclick: () => moveInQueue(item, -1),
  });
  Object.assign(down, {
    ariaLabel: `Move ${item.title} down`, disabled: item === queue.at(-1), onclick: () => moveInQueue(item, 1),
  });
  Object.assign(remove, {
    ariaLabel: `Remove ${item.title}`, onclick: () => setQueue(queue.filter((other) => other !== item)),
  });
  Object.assign(row, {
    draggable: true,
    ondragstart: () => { draggedItem = item; },
    ondragover: (event) => { if (draggedItem) event.preventDefault(); }, // which allows a drop here
    ondrop: (event) => {
      event.preventDefault();
      moveInQueue(draggedItem, queue.indexOf(item) - queue.indexOf(draggedItem));
    },
    ondragend: () => { draggedItem = undefined; },
  });
  return row;
}

function markCurrentRow(row, isCurrent) {
  if (isCurrent && !row.ariaCurrent) row.scrollIntoView({ block: "nearest" });
  row.ariaCurrent = isCurrent ? "true" : null;
}

let statusTimer;
function showStatus(text) {
  statusLine.textContent = text;
  clearTimeout(statusTimer);
  statusTimer = setTimeout(() => { statusLine.textContent = ""; }, 5000);
}

// --- Queue --------------------------------------------------------------------------------------

const itemOfLink = (link) => ({ path: link.pathname, title: link.dataset.title, show: link.dataset.show });

// Return the seconds of "?t=60-75" in the address of a link.
const rangeOfLink = (link) => new URL(link.href).searchParams.get("t").split("-").map(Number);

function momentOfLink(link) {
  const [from, to] = rangeOfLink(link);
  return { ...itemOfLink(link), from, to };
}

const isSameMoment = (moment, item) => (
  item?.to && moment.path === item.path && moment.from === item.from && moment.to === item.to
);

function setQueue(items) {
  queue = items;
  draw();
  if (!queueDialog.open) return;
  if (!queue[1]) queueDialog.close();
  // The focused button is gone with its row.
  const lastButton = find("button:last-child", queueList);
  (lastButton ?? playButton).focus();
}

function moveInQueue(item, by) {
  const index = queue.indexOf(item) + by;
  queue.splice(index - by, 1);
  queue.splice(index, 0, item);
  draw();
  // The focus stays with the item, so that it can be moved on: on the button of the same direction, unless it is at
  // an end.
  const [up, down] = findAll("button", queueList.children[index - 1]);
  const focusesDown = up.disabled || (by > 0 && !down.disabled);
  (focusesDown ? down : up).focus();
  moveStatus.textContent = `${item.title}: ${index} of ${queue.length - 1}`;
}

// Replace the first item by these. Moments replace queued moments, too. Other queued items follow.
function putFirst(items) {
  const following = queue.slice(1).filter((queued) => !items.some((item) => isReplacedBy(queued, item)));
  setQueue([...items, ...following]);
}

function isReplacedBy(queued, item) {
  if (item.to || queued.to) return item.to && queued.to;
  return item.path === queued.path;
}

// --- What this browser remembers ----------------------------------------------------------------

function savePosition() {
  // A range leaves the kept position of its episode as it is.
  if (stopPosition === Infinity) savePositionOf(audio, loadedPath);
}

function savePositionOf(media, path) {
  if (!media.duration) return;
  const isHeard = media.currentTime > media.duration * 0.95;
  store(`at:${path}`, isHeard ? 0 : media.currentTime);
  if (isHeard) document.dispatchEvent(new CustomEvent("heard", { detail: path }));
}

// The start page offers the latest of these.
function rememberEpisode({ path, title, show }) {
  const earlier = [].concat(readStored("recent") ?? []).filter((item) => item?.path !== path);
  store("recent", [{ path, title, show }, ...earlier].slice(0, 10));
}

// --- Playing ------------------------------------------------------------------------------------

// Load the sound of the first item from the player on the page of its episode. It is fetched when it plays.
function loadSound(pagePlayer, path) {
  const sound = find("audio", pagePlayer);
  const { title, show, seconds, cover: address, artwork } = pagePlayer.dataset;
  const { from, to } = queue[0];
  savePosition();
  queue[0] = { path, title, show, seconds: Number(seconds), cover: address };
  loadedPath = path;
  rememberEpisode(queue[0]);
  chapters = findAll("option", pagePlayer).map(({ value, label }) => [Number(value), label]);
  errorLine.hidden = true;
  errorLine.replaceChildren(...find(".failed", pagePlayer).cloneNode(true).childNodes);
  audio.src = sound.src.replace(/#.*/, "");
  setSpeed(speedSelect.selectedIndex); // a new source resets it
  const [start, end] = rangeOfSound(sound) ?? [readStored(`at:${path}`) || 0];
  seek(start, end);
  Object.assign(queue[0], { from, to });
  if (navigator.mediaSession) {
    const artworkUrl = new URL(artwork, location).href;
    navigator.mediaSession.metadata = new MediaMetadata({ title, artist: show, artwork: [{ src: artworkUrl }] });
  }
  draw();
}

function unloadSound() {
  savePosition();
  stopPosition = Infinity;
  loadedPath = undefined;
  chapters = [];
  errorLine.hidden = true;
  audio.removeAttribute("src");
  audio.load();
  draw();
}

// Play the first item: from `from` to `to`, else its moment, else from the kept position. Load it before, if necessary.
async function play(from, to) {
  const item = queue[0];
  if (!item) return;
  const isLoaded = loadedPath === item.path;
  if (from === undefined && !isLoaded) ({ from, to } = item);
  if (!isLoaded || audio.error) {
    const hasLoaded = await loadFirstItem(item);
    if (!hasLoaded) return;
  }
  if (from !== undefined) {
    seek(from, to);
  } else if (audio.ended || hasReachedStop()) {
    // Play on beyond the moment.
    stopPosition = Infinity;
    item.to = undefined;
  }
  audio.play().catch(() => { statusLine.textContent = ""; });
}

// Return whether the sound of the first item was loaded: its page may fail, or another item may be chosen meanwhile.
async function loadFirstItem(item) {
  unloadSound(); // during the click, so that browsers allow the sound when the page has come
  statusLine.textContent = "Loading…";
  const page = item.path === location.pathname ? document : await fetchPage(item.path);
  if (item.path !== queue[0]?.path) return false;
  const pagePlayer = page && find(".player:has(audio)", page);
  if (pagePlayer) {
    loadSound(pagePlayer, item.path);
    return true;
  }
  statusLine.textContent = "";
  errorLine.textContent = "This episode could not be loaded. Try again, or open its page.";
  errorLine.hidden = false;
  return false;
}

async function fetchPage(path) {
  try {
    const answer = await fetch(path);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return undefined;
  }
}

const togglePlaying = () => (audio.paused ? play() : audio.pause());
const skip = (seconds) => seek(currentPosition() + seconds);

function playNext() {
  if (!queue[1]) return;
  savePosition();
  if (queue[0].to) playedMoments.push(queue[0]);
  setQueue(queue.slice(1));
  play(queue[0].from, queue[0].to);
}

function playPrevious() {
  if (playedMoments.length > 0) setQueue([playedMoments.pop(), ...queue]);
  play(queue[0].from, queue[0].to);
}

// Play the moments of the page from one of them on.
function playMomentsFrom(link) {
  const links = findAll("a.range");
  const moments = links.map(momentOfLink);
  const index = links.indexOf(link);
  playedMoments = moments.slice(0, index);
  putFirst(moments.slice(index));
  play(queue[0].from, queue[0].to);
}

function playOrPause(item) {
  if (item.path === queue[0]?.path) return togglePlaying();
  putFirst([item]);
  return play();
}

function setSpeed(index) {
  if (!speedSelect.options[index]) return;
  speedSelect.selectedIndex = index;
  audio.defaultPlaybackRate = audio.playbackRate = speedSelect.value;
  store("speed", Number(speedSelect.value));
}

speedSelect.value = readStored("speed");
setSpeed(speedSelect.value ? speedSelect.selectedIndex : SPEEDS.indexOf(1));
audio.volume = volumeSlider.value = readStored("volume") ?? 1;

// --- Events of the controls ---------------------------------------------------------------------

speedSelect.onchange = () => setSpeed(speedSelect.selectedIndex);
sleepSelect.onchange = () => {
  const minutes = Number(sleepSelect.value); // 0 for "Sleep", NaN for "At end"
  sleepTime = minutes ? Date.now() + minutes * 60_000 : Infinity;
};
volumeSlider.oninput = () => {
  audio.volume = Number(volumeSlider.value);
  store("volume", audio.volume);
};
positionSlider.oninput = () => seek(Number(positionSlider.value));
playButton.onclick = togglePlaying;
backButton.onclick = () => skip(-SECONDS_BACK);
forwardButton.onclick = () => skip(SECONDS_FORWARD);
nextButton.onclick = playNext;
previousButton.onclick = playPrevious;
wholeEpisodeButton.onclick = () => play(currentPosition());
queueButton.onclick = () => queueDialog.showModal();
clearButton.onclick = () => setQueue(queue.slice(0, 1));
followButton.onclick = scrollToCurrentParagraph;
closeButton.onclick = () => {
  unloadSound();
  playedMoments = [];
  setQueue([]);
};
shareButton.onclick = async () => {
  const { path, title } = queue[0];
  const url = `${new URL(path, location)}?t=${Math.floor(currentPosition())}`;
  if (canShare) {
    await navigator.share({ title, url }).catch(() => {}); // the reader closed the sheet
    return;
  }
  try {
    await navigator.clipboard.writeText(url);
    showStatus("Copied");
  } catch {
    prompt("Copy:", url);
  }
};
queueDialog.onclick = ({ target }) => { if (target.matches("a")) queueDialog.close(); };

// --- Events of the sound ------------------------------------------------------------------------

let savedPosition = 0;
audio.ontimeupdate = () => {
  if (Math.abs(audio.currentTime - savedPosition) > 4) {
    savedPosition = audio.currentTime;
    savePosition();
  }
  if (!audio.paused && hasReachedStop()) {
    const isFollowedByMoment = queue[0].to && queue[1]?.to;
    if (isFollowedByMoment) playNext();
    else audio.pause();
  }
  if (Date.now() > sleepTime) {
    sleepTime = Infinity;
    sleepSelect.value = "";
    audio.pause();
  }
  drawPosition();
};
audio.onwaiting = () => { statusLine.textContent = "Loading…"; };
audio.onplaying = () => {
  statusLine.textContent = "";
  errorLine.hidden = true;
};
audio.onplay = () => {
  find(".player video")?.pause();
  draw();
};
audio.onpause = () => {
  savePosition();
  draw();
};
audio.onerror = () => {
  statusLine.textContent = "";
  errorLine.hidden = false;
  audio.pause();
};
audio.onended = () => {
  if (sleepSelect.value === "end") sleepSelect.value = "";
  else if (stopPosition === Infinity || queue[1]?.to) playNext();
};
audio.ondurationchange = audio.onseeked = audio.onratechange = () => {
  const { duration, playbackRate, currentTime: position } = audio;
  draw();
  if (duration < Infinity) navigator.mediaSession?.setPositionState?.({ duration, playbackRate, position });
};
addEventListener("pagehide", savePosition);

// The keys of headphones and of lock screens (https://www.w3.org/TR/mediasession/#actions-model).
const mediaKeys = {
  play: () => play(),
  pause: () => audio.pause(),
  seekbackward: backButton.onclick,
  seekforward: forwardButton.onclick,
  seekto: ({ seekTime }) => seek(seekTime),
  nexttrack: playNext,
  previoustrack: playPrevious,
};
for (const [name, handler] of Object.entries(mediaKeys)) navigator.mediaSession?.setActionHandler(name, handler);

// --- The page around the player -----------------------------------------------------------------

// Take over the players of a page that has come. `isForward` is false for a page that the reader went back to.
function takeOverPage(isForward) {
  const pagePlayer = find(".player");
  const video = pagePlayer && find("video", pagePlayer);
  const sound = pagePlayer && find("audio", pagePlayer);
  paragraphs = findAll("#transcript [data-t]");
  for (const link of findAll("article a.play:not(:has(+ .add))")) {
    link.insertAdjacentHTML("afterend", '<button class="add">Add to queue</button>');
  }
  if (video) takeOverVideo(video, pagePlayer);
  if (sound) takeOverSound(sound, pagePlayer, isForward);
  draw();
  const firstMoment = find("a.range");
  if (isWaitingForMoments && firstMoment) playMomentsFrom(firstMoment);
  isWaitingForMoments = false;
}

function takeOverVideo(video, pagePlayer) {
  const path = location.pathname;
  const [, end] = rangeOfSound(video) ?? [];
  video.load(); // a video of a page that was parsed by a script has not begun to
  if (end === undefined) video.currentTime = readStored(`at:${path}`) || 0;
  video.onpause = video.ontimeupdate = () => {
    const isInRange = end !== undefined && video.currentTime < end + 1;
    if (!isInRange) savePositionOf(video, path);
  };
  video.onplay = () => audio.pause();
  video.onerror = () => { find(".failed", pagePlayer).hidden = false; };
}

function takeOverSound(sound, pagePlayer, isForward) {
  const path = location.pathname;
  const range = rangeOfSound(sound);
  const keptPosition = readStored(`at:${path}`);
  pagePlayer.classList.add("ready");
  if (loadedPath === path) {
    if (range && isForward) seek(...range);
  } else if (range && audio.paused) {
    putFirst([{ path }]);
    loadSound(pagePlayer, path);
  } else if (keptPosition && !range) {
    find("[role=status]", pagePlayer).textContent = `Resumes at ${formatClock(keptPosition)}`;
  }
}
document.addEventListener("swapped", ({ detail: isForward }) => takeOverPage(isForward));
takeOverPage(true);

const itemOfPage = () => ({ path: location.pathname, title: find(".player").dataset.title });

function playRangeOfPage(link) {
  const [from, to] = rangeOfLink(link);
  const video = find(".player video");
  history.replaceState(history.state, "", link.href);
  document.dispatchEvent(new Event("moved"));
  if (video) {
    video.currentTime = from;
    video.play().catch(() => {});
    return;
  }
  if (queue[0]?.path !== location.pathname) putFirst([itemOfPage()]);
  play(from, to);
}

// The first selector that matches decides.
const clickHandlers = {
  ".add": (button) => {
    setQueue([...queue, itemOfLink(button.previousElementSibling)]);
    showStatus("Added to queue");
  },
  ".play-ranges": () => playMomentsFrom(find("a.range")),
  "a.range": playMomentsFrom,
  "a.onward": (link) => {
    const [from] = rangeOfLink(link);
    putFirst([itemOfLink(link)]);
    play(from);
  },
  ".play-all": () => {
    putFirst(findAll(".entries a.play").map(itemOfLink));
    play();
  },
  ".player a.play": () => playOrPause(itemOfPage()),
  "a.play": (link) => playOrPause(itemOfLink(link)),
  'body:has(.player) a.time[href^="?"]': playRangeOfPage,
};
document.addEventListener("click", (event) => {
  const selector = Object.keys(clickHandlers).find((candidate) => event.target.closest(candidate));
  if (!selector || hasModifierKey(event)) return;
  event.preventDefault();
  clickHandlers[selector](event.target.closest(selector));
});

// A link to a page of moments plays them when the page has come. A visible player lets pages.js show it in place.
document.addEventListener("click", (event) => {
  if (!event.target.closest("a.play-moments") || hasModifierKey(event)) return;
  unloadSound(); // during the click, so that browsers allow the sound when the page has come
  dock.hidden = false;
  statusLine.textContent = "Loading…";
  isWaitingForMoments = true;
});

const keyHandlers = {
  " ": togglePlaying,
  ArrowLeft: () => (queue[0].to ? playPrevious() : skip(-SECONDS_BACK)),
  ArrowRight: () => (queue[0].to ? playNext() : skip(SECONDS_FORWARD)),
  ",": () => setSpeed(speedSelect.selectedIndex - 1),
  ".": () => setSpeed(speedSelect.selectedIndex + 1),
};

// Return whether a key means something else to the focused element.
function isKeyOfElement(key, element) {
  if (element.closest("input:not(.dial), select, textarea, dialog")) return true;
  if (key === "," || key === ".") return !dock.contains(element);
  if (key === " ") return element.closest("video, button, summary, a:not(.play)");
  return element.closest("video");
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!keyHandlers[key] || hasModifierKey(event) || isKeyOfElement(key, target)) return;
  // Before anything is in the player, a key plays the episode of the page.
  const pageButton = find(".player.ready a.play, a.range");
  if (dock.hidden && !pageButton) return;
  event.preventDefault();
  if (dock.hidden) pageButton.click();
  else keyHandlers[key]();
});
addEventListener("scroll", updateFollowButton, { passive: true });
