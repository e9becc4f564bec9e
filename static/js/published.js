// Search and filters of a static copy of the site (manage.py publish): the script narrows the list of episodes.

const root = new URL("../..", import.meta.url);
const MAX_EPISODES = 200; // on the page
const PARAMETERS = [
  "q", "topic", "year", "month", "person", "podcast", "language", "length", "min_minutes", "max_minutes", "sort",
];
let index; // the rows of search.json

// Return the words of a text, each between spaces: " ecole 12 c++ " for "École #12: C++".
function foldText(text) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = letters.replace(/#(?=\d)/g, "").replace(/[^\p{L}\p{N}+#]+/gu, " ");
  return ` ${words.trim()} `;
}

const isLengthBetween = (seconds, minMinutes, maxMinutes) => (
  seconds !== null && seconds >= minMinutes * 60 && (!maxMinutes || seconds < maxMinutes * 60)
);

// Return the weight of a folded term in an episode, 0 without the term. A title or number counts more than names,
// and names more than notes. A whole word counts more than the beginning of one.
function weighTerm(episode, term) {
  episode.foldedTexts ??= [`${episode.title} episode ${episode.number}`, episode.words, episode.text].map(foldText);
  const wordWeights = [8, 5, 3];
  const beginningWeights = [4, 2, 1];
  const wordIndex = episode.foldedTexts.findIndex((text) => text.includes(` ${term} `));
  if (wordIndex >= 0) return wordWeights[wordIndex];
  const beginningIndex = episode.foldedTexts.findIndex((text) => term.length > 2 && text.includes(` ${term}`));
  if (beginningIndex >= 0) return beginningWeights[beginningIndex];
  // "datapipe" in the title "Data pipes".
  const [title] = episode.foldedTexts;
  return title.replaceAll(" ", "").includes(term.replaceAll(" ", "")) ? 3 : 0;
}

// Return whether an episode passes the values of a parameter.
const FILTERS = {
  topic: (episode, slugs) => slugs.every((slug) => episode.topics.includes(slug)),
  person: (episode, [slug]) => episode.people.includes(slug),
  podcast: (episode, [slug]) => episode.podcast === slug,
  language: (episode, [code]) => episode.language === code,
  year: (episode, [year]) => (year === "unknown" ? !episode.date : episode.date.startsWith(year)),
  month: (episode, [month]) => episode.date.startsWith(month),
  min_minutes: (episode, [minutes]) => isLengthBetween(episode.seconds, minutes, 0),
  max_minutes: (episode, [minutes]) => isLengthBetween(episode.seconds, 0, Number(minutes) + 1),
  length: (episode, [band]) => (
    band === "unknown" ? episode.seconds === null : isLengthBetween(episode.seconds, ...band.split("-"))
  ),
};
const ORDERS = {
  oldest: (first, second) => first.date.localeCompare(second.date),
  shortest: (first, second) => (first.seconds ?? Infinity) - (second.seconds ?? Infinity),
  longest: (first, second) => (second.seconds ?? 0) - (first.seconds ?? 0),
};

function selectEpisodes(parameters) {
  const filters = Object.entries(FILTERS).filter(([name]) => parameters.get(name));
  const filtered = index.filter((episode) => (
    filters.every(([name, passes]) => passes(episode, parameters.getAll(name)))
  ));
  const terms = (parameters.get("q") ?? "").match(/"[^"]+"|\S+/g) ?? [];
  const foldedTerms = terms.map((term) => foldText(term).trim()).filter(Boolean);
  const episodes = foldedTerms.length > 0 ? rankEpisodes(filtered, foldedTerms) : filtered;
  const order = ORDERS[parameters.get("sort")];
  return order ? episodes.sort(order) : episodes;
}

// Return the episodes with the most of the terms, the greatest weight first, short titles before long ones.
function rankEpisodes(episodes, terms) {
  const results = episodes.map((episode) => {
    const weights = terms.map((term) => weighTerm(episode, term));
    return { episode, termCount: weights.filter(Boolean).length, weight: weights.reduce((sum, next) => sum + next) };
  });
  const maxTermCount = Math.max(...results.map(({ termCount }) => termCount));
  const best = results.filter(({ termCount }) => termCount > 0 && termCount === maxTermCount);
  best.sort((first, second) => (
    second.weight - first.weight || first.episode.title.length - second.episode.title.length
  ));
  return best.map(({ episode }) => episode);
}

const makeElement = (name, text, properties = {}) => (
  Object.assign(document.createElement(name), { textContent: text }, properties)
);

function makeCard(episode) {
  const article = makeElement("article", "");
  const heading = makeElement("h2", "");
  const details = makeElement("p", "", { className: "meta" });
  const address = new URL(episode.address.slice(1), root);
  heading.append(makeElement("a", episode.title, { href: address }));
  const values = [episode.show, episode.number, episode.day, episode.length].filter(Boolean);
  details.append(...values.map((value) => makeElement("span", value)));
  article.append(heading, details, makeElement("p", episode.text.slice(0, 165)));
  return article;
}

async function narrowList() {
  const list = document.querySelector("#episodes");
  const parameters = new URLSearchParams(location.search);
  const listPath = new URL(document.querySelector(".masthead form").action).pathname;
  const isNarrowed = PARAMETERS.some((name) => parameters.get(name));
  if (location.pathname !== listPath || !list || !isNarrowed) return;
  index ??= await (await fetch(new URL("search.json", root))).json();
  const episodes = selectEpisodes(parameters);
  const count = `${episodes.length.toLocaleString("en")} ${episodes.length === 1 ? "episode" : "episodes"}`;
  const cut = episodes.length > MAX_EPISODES ? `, the first ${MAX_EPISODES}` : "";
  document.querySelector("h1").textContent = count + cut;
  const searchField = document.querySelector("#q");
  if (document.activeElement !== searchField) searchField.value = parameters.get("q") ?? "";
  list.replaceChildren(...episodes.slice(0, MAX_EPISODES).map(makeCard));
}
document.addEventListener("swapped", narrowList);
narrowList();
