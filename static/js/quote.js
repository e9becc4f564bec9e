// Select words of a transcript: a menu copies their sentences with a link that plays them, or suggests a correction of them.

const SLOWEST = 5; // characters a second, as the server has it
const LONGEST = 180; // seconds of a part that a link plays, as the server has it
const MOST = 200; // characters of words to correct, as the server has it
const menu = Object.assign(document.createElement("div"), { className: "quoting", hidden: true });
menu.innerHTML = '<button type="button"></button><a rel="nofollow">Suggest a correction</a>';
const [button, suggest] = menu.children;
const paragraphOf = (node) => (node.closest ? node : node.parentElement)?.closest("#transcript p[id]");
const wordsOf = (paragraph) => paragraph.querySelector("span:not(.time)");
// What a selection holds of a paragraph's words; speakers, times and chapters are no words.
const part = (paragraph, from, to) => {
  const range = new Range();
  range.selectNodeContents(wordsOf(paragraph));
  if (from) range.setStart(...from);
  if (to) range.setEnd(...to);
  return range.toString();
};

const sizeOf = (text) => [...text].length; // in characters, as the server counts

// The second of a place in a paragraph: even speech has it between two that are known in the whole text.
const second = (paragraph, place) => {
  const transcript = paragraph.closest("#transcript");
  const all = [...transcript.querySelectorAll("p[id]")];
  transcript.times ??= transcript.dataset.times.split(" ").map((time) => time.split(":").map(Number));
  transcript.sizes ??= all.map((one) => sizeOf(wordsOf(one).textContent) + 1);
  const before = transcript.sizes.slice(0, all.indexOf(paragraph)).reduce((sum, size) => sum + size, 0);
  const at = before + sizeOf(part(paragraph, null, place));
  const next = transcript.times.findIndex(([known]) => known > at);
  const [[from, start], [to, end]] = transcript.times.slice(next - 1, next + 1);
  return start + (at - from) * Math.min((end - start) / (to - from), 1 / SLOWEST);
};

// The first and the last selected paragraph, and the places in them.
const selected = () => {
  const selection = getSelection();
  if (selection.isCollapsed) return {};
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  return {
    first: paragraphOf(startContainer), from: [startContainer, startOffset],
    last: paragraphOf(endContainer), to: [endContainer, endOffset],
  };
};

// The address of the form for the whole words of a selection within one paragraph.
const correction = () => {
  const { first, from, last, to } = selected();
  const { suggest: form } = first?.closest("#transcript").dataset ?? {};
  if (!form || first !== last) return null;
  const text = wordsOf(first).textContent;
  const start = part(first, null, from).length;
  const before = text.slice(0, start).match(/[\p{L}\p{N}]*$/u)[0];
  const chosen = part(first, from, to);
  const after = text.slice(start + chosen.length).match(/^[\p{L}\p{N}]*/u)[0];
  const words = (before + chosen + after).trim();
  return words && words.length <= MOST ? `${form}&wrong=${encodeURIComponent(words)}` : null;
};

const quoted = () => {
  const { first, from, last, to } = selected();
  if (!first?.dataset.t || !last?.dataset.t) return null;
  const all = [...document.querySelectorAll("#transcript p[id]")];
  const words = all.slice(all.indexOf(first), all.indexOf(last) + 1)
    .map((one) => part(one, one === first && from, one === last && to)).join(" ").replace(/\s+/g, " ").trim();
  if (!words) return null;
  // Times are rounded to tenths.
  const start = Math.floor(second(first, from) + 0.1);
  const end = Math.max(start + 1, Math.ceil(second(last, to) - 0.1));
  if (end - start > LONGEST) return null;
  return { words, address: `${location.origin}${location.pathname}?t=${start}-${end}` };
};

// The page at the address has the whole sentences. Without a network the selected words are copied.
const inSentences = async (quote) => {
  try {
    const answer = await fetch(quote.address); // which leads to the address of the whole sentences
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const words = [...page.querySelectorAll(".quote mark.whole")].map((sentences) => sentences.textContent).join(" ");
    return words ? { words, address: answer.url } : quote;
  } catch { return quote; }
};
const cited = ({ words, address }) => {
  const { show, title } = document.querySelector("#transcript").dataset;
  const start = parseInt(new URL(address).searchParams.get("t"));
  const at = new Date(start * 1000).toISOString().slice(start < 3600 ? 14 : 11, 19).replace(/^0/, "");
  return `“${words}” — ${show}, ${title} (${at}) ${address}`;
};

const offer = () => {
  const address = correction();
  button.hidden = !quoted();
  suggest.hidden = !address;
  menu.hidden = button.hidden && suggest.hidden;
  if (menu.hidden) return;
  button.textContent = "Copy quote with link";
  suggest.href = address ?? "";
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  menu.style.insetBlockStart = `${box.bottom + scrollY + 8}px`;
  document.body.append(menu);
};
document.addEventListener("selectionchange", offer);
offer(); // what was selected before this came
// A click must not take the selection away.
menu.onpointerdown = (event) => event.preventDefault();
button.onclick = async () => {
  const text = inSentences(quoted()).then(cited);
  const item = text.then((words) => new Blob([words], { type: "text/plain" }));
  try {
    // Some browsers write only in answer to a click: they get the words when the page has come.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": item })]);
    button.textContent = "Copied";
  } catch { prompt("Copy:", await text); }
};

// A link can lead to a paragraph that is folded. Older browsers do not unfold it by themselves.
const unfold = () => {
  const target = document.querySelector("#transcript details:not([open]) :target");
  if (!target) return;
  target.closest("details").open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
