// Select words of a transcript: a button copies their sentences with a link that plays them.

const SLOWEST = 5; // characters a second, as the server has it
const LONGEST = 180; // seconds of a part that a link plays, as the server has it
const button = Object.assign(document.createElement("button"), { type: "button", className: "quoting", hidden: true });
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

const quoted = () => {
  const selection = getSelection();
  if (selection.isCollapsed) return null;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const [from, to] = [[startContainer, startOffset], [endContainer, endOffset]];
  const [first, last] = [paragraphOf(startContainer), paragraphOf(endContainer)];
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
  button.hidden = !quoted();
  if (button.hidden) return;
  button.textContent = "Copy quote with link";
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  button.style.insetBlockStart = `${box.bottom + scrollY + 8}px`;
  document.body.append(button);
};
document.addEventListener("selectionchange", offer);
offer(); // what was selected before this came
// The button must not take the selection away.
button.onpointerdown = (event) => event.preventDefault();
button.onclick = async () => {
  const text = inSentences(quoted()).then(cited);
  const item = text.then((words) => new Blob([words], { type: "text/plain" }));
  try {
    // Some browsers write only in answer to a click: they get the words when the page has come.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": item })]);
    button.textContent = "Copied";
  } catch { prompt("Copy:", await text); }
};
