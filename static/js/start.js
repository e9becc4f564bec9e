// The start page of a reader who comes back: the episode to go on with, and how many episodes are new. Each has a line
// that is there for everybody, so that nothing moves.

const read = (store, key) => { try { return JSON.parse(window[store][key]); } catch {} };
const write = (store, key, value) => { try { window[store][key] = JSON.stringify(value); } catch {} };
const find = (selector) => document.querySelector(selector);
const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19).replace(/^0/, "");

// Return whether an episode was begun and not heard to its end.
function offerLastEpisode() {
  const recent = [].concat(read("localStorage", "recent") ?? []);
  const episode = recent.find((item) => item?.path && read("localStorage", `at:${item.path}`) > 0);
  if (!episode) return false;
  const line = find(".begin .go-on");
  line.innerHTML = "<span>Continue</span> <span><a dir=auto></a> <a class=play><span class=hidden>Play </span></a></span>";
  const [title, play] = line.querySelectorAll("a");
  title.href = play.href = episode.path;
  title.textContent = play.dataset.title = episode.title;
  play.dataset.show = episode.show;
  play.append(`from ${clock(read("localStorage", `at:${episode.path}`))}`);
  return true;
}

// Return whether the reader was here before. The last visit ended with its tab, so that news stay while one reads.
function countNewEpisodes() {
  const articles = [...document.querySelectorAll("#episodes article")];
  const paths = articles.map((article) => article.querySelector("h2 a").pathname);
  const before = read("sessionStorage", "newest") ?? read("localStorage", "newest");
  write("localStorage", "newest", paths);
  write("sessionStorage", "newest", before ?? paths);
  if (!before?.[0]) return false;
  const firstKnown = paths.findIndex((path) => before.includes(path));
  const count = firstKnown < 0 ? paths.length : firstKnown;
  for (const article of articles.slice(0, count)) article.classList.add("new");
  const line = find(".begin .news");
  if (!count || !line) return true;
  line.innerHTML = "<span></span> <span><a href='#episodes'>since your last visit</a></span>";
  line.firstChild.textContent = `${count}${firstKnown < 0 ? "+" : ""} new`;
  return true;
}

function greet() {
  if (!find(".begin[data-script]")) return;
  const isBack = [offerLastEpisode(), countNewEpisodes()].includes(true);
  if (isBack) find("#begin").textContent = "Welcome back";
}
document.addEventListener("swapped", greet);
greet();
