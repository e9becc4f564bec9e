// Greets a reader who comes back to the start page: the episode to go on with, and the number of new episodes.
// Their lines are on the page for everybody, so that nothing moves.

// `storage` is "localStorage" or "sessionStorage", which the browser may block.
const readStored = (storage, key) => { try { return JSON.parse(window[storage][key]); } catch {} };
const store = (storage, key, value) => { try { window[storage][key] = JSON.stringify(value); } catch {} };
const find = (selector) => document.querySelector(selector);

// Return "1:02:03" or "2:03" for seconds.
function formatClock(seconds) {
  const time = new Date(seconds * 1000).toISOString(); // "1970-01-01T01:02:03.000Z"
  return time.slice(seconds < 3600 ? 14 : 11, 19).replace(/^0/, "");
}

// Return whether an episode was begun and not heard to its end.
function offerLastEpisode() {
  const recentEpisodes = [].concat(readStored("localStorage", "recent") ?? []);
  const episode = recentEpisodes.find((item) => item?.path && readStored("localStorage", `at:${item.path}`) > 0);
  if (!episode) return false;
  const line = find(".begin .go-on");
  line.innerHTML = `<span>Continue</span>
<span><a dir=auto></a> <a class=play><span class=hidden>Play </span></a></span>`;
  const [titleLink, playLink] = line.querySelectorAll("a");
  titleLink.href = playLink.href = episode.path;
  titleLink.textContent = playLink.dataset.title = episode.title;
  playLink.dataset.show = episode.show;
  playLink.append(`from ${formatClock(readStored("localStorage", `at:${episode.path}`))}`);
  return true;
}

// Return whether the reader was here before. A visit ends with its tab, so that episodes stay new until then.
function countNewEpisodes() {
  const articles = [...document.querySelectorAll("#episodes article")];
  const paths = articles.map((article) => article.querySelector("h2 a").pathname);
  const pathsOfLastVisit = readStored("sessionStorage", "newest") ?? readStored("localStorage", "newest");
  store("localStorage", "newest", paths);
  store("sessionStorage", "newest", pathsOfLastVisit ?? paths);
  if (!pathsOfLastVisit?.[0]) return false;
  const firstKnownIndex = paths.findIndex((path) => pathsOfLastVisit.includes(path));
  const areAllNew = firstKnownIndex < 0;
  const newCount = areAllNew ? paths.length : firstKnownIndex;
  for (const article of articles.slice(0, newCount)) article.classList.add("new");
  const line = find(".begin .news");
  if (newCount === 0 || !line) return true;
  line.innerHTML = "<span></span> <span><a href='#episodes'>since your last visit</a></span>";
  line.firstChild.textContent = `${newCount}${areAllNew ? "+" : ""} new`; // more may be behind the last of the page
  return true;
}

function greet() {
  if (!find(".begin[data-script]")) return;
  const hasBegunEpisode = offerLastEpisode();
  const wasHereBefore = countNewEpisodes();
  if (hasBegunEpisode || wasHereBefore) find("#begin").textContent = "Welcome back";
}
document.addEventListener("swapped", greet);
greet();
