// Select words of a transcript: a button copies them with a link that plays them.

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

// The second at which a place in a paragraph is said: known for some, as even speech has it between two of them.
const second = (paragraph, place) => {
  const times = paragraph.dataset.times.split(" ").map((time) => time.split(":").map(Number));
  const { length } = part(paragraph, null, place);
  const [from, start] = times.findLast(([at]) => at <= length);
  const [to, end] = times.find(([at]) => at > length) ?? [from + 1, start];
  return start + ((end - start) * (length - from)) / (to - from);
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
  const { show, title } = first.closest("#transcript").dataset;
  const at = new Date(start * 1000).toISOString().slice(start < 3600 ? 14 : 11, 19).replace(/^0/, "");
  return `“${words}” — ${show}, ${title} (${at}) ${location.origin}${location.pathname}?t=${start}-${end}`;
};

const offer = () => {
  const text = quoted();
  button.hidden = !text;
  if (!text) return;
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
  const text = quoted();
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch { prompt("Copy:", text); }
};
