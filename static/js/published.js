// Search and filters of a copy that no server answers for (manage.py publish): the list of episodes, narrowed here.

const root = new URL("../..", import.meta.url);
const MOST = 200;
const KNOWN = ["q", "topic", "year", "month", "person", "podcast", "language", "length", "min_minutes", "max_minutes", "sort"];
let index;

const folded = (text) => ` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/#(?=\d)/g, "").replace(/[^\p{L}\p{N}+#]+/gu, " ").trim()} `;
const within = (seconds, least, most) => seconds !== null && seconds >= least * 60 && (!most || seconds < most * 60);

// What a term is worth, as a word or as the beginning of one: in the title or number, in names, in the notes.
function worth(one, term) {
  one.in ??= [`${one.title} episode ${one.number}`, one.words, one.text].map(folded);
  const whole = one.in.findIndex((text) => text.includes(` ${term} `));
  if (whole >= 0) return [8, 5, 3][whole];
  const begins = one.in.findIndex((text) => term.length > 2 && text.includes(` ${term}`));
  if (begins >= 0) return [4, 2, 1][begins];
  return one.in[0].replaceAll(" ", "").includes(term.replaceAll(" ", "")) ? 3 : 0;
}

const passes = {
  topic: (one, slugs) => slugs.every((slug) => one.topics.includes(slug)),
  person: (one, [slug]) => one.people.includes(slug),
  podcast: (one, [slug]) => one.podcast === slug,
  language: (one, [code]) => one.language === code,
  year: (one, [year]) => (year === "unknown" ? !one.date : one.date.startsWith(year)),
  month: (one, [month]) => one.date.startsWith(month),
  min_minutes: (one, [least]) => within(one.seconds, least, 0),
  max_minutes: (one, [most]) => within(one.seconds, 0, Number(most) + 1),
  length: (one, [band]) => (band === "unknown" ? one.seconds === null : within(one.seconds, ...band.split("-"))),
};
const orders = {
  oldest: (a, b) => a.date.localeCompare(b.date),
  shortest: (a, b) => (a.seconds ?? Infinity) - (b.seconds ?? Infinity),
  longest: (a, b) => (b.seconds ?? 0) - (a.seconds ?? 0),
};

function narrowed(asked) {
  let found = index.filter((one) => KNOWN.every((name) => !passes[name] || !asked.get(name) || passes[name](one, asked.getAll(name))));
  const terms = folded(asked.get("q") ?? "").trim() && asked.get("q").match(/"[^"]+"|\S+/g).map((term) => folded(term).trim()).filter(Boolean);
  if (terms) {
    const ranked = found.map((one) => {
      const values = terms.map((term) => worth(one, term));
      return { one, held: values.filter(Boolean).length, sum: values.reduce((a, b) => a + b) };
    });
    const most = Math.max(...ranked.map(({ held }) => held));
    const best = ranked.filter(({ held }) => held && held === most);
    found = best.sort((a, b) => b.sum - a.sum || a.one.title.length - b.one.title.length).map(({ one }) => one);
  }
  return orders[asked.get("sort")] ? found.sort(orders[asked.get("sort")]) : found;
}

const element = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);

function card(one) {
  const article = element("article", ""), heading = element("h2", ""), line = element("p", "", { className: "meta" });
  heading.append(element("a", one.title, { href: new URL(one.address.slice(1), root) }));
  line.append(...[one.show, one.number, one.day, one.length].filter(Boolean).map((text) => element("span", text)));
  article.append(heading, line, element("p", one.text.slice(0, 165)));
  return article;
}

async function narrow() {
  const list = document.querySelector("#episodes"), asked = new URLSearchParams(location.search);
  const path = new URL(document.querySelector(".masthead form").action).pathname;
  if (location.pathname !== path || !list || !KNOWN.some((name) => asked.get(name))) return;
  index ??= await (await fetch(new URL("search.json", root))).json();
  const found = narrowed(asked), words = document.querySelector("#q");
  const cut = found.length > MOST ? `, the first ${MOST}` : "";
  document.querySelector("h1").textContent = `${found.length.toLocaleString("en")} ${found.length === 1 ? "episode" : "episodes"}${cut}`;
  if (document.activeElement !== words) words.value = asked.get("q") ?? "";
  list.replaceChildren(...found.slice(0, MOST).map(card));
}
document.addEventListener("swapped", narrow);
narrow();
