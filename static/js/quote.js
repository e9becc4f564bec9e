// Select words of a transcript: a button copies them with a link that plays them.

const SLOWEST = 5; // characters a second, as the server estimates
const button = Object.assign(document.createElement("button"), { type: "button", className: "quoting", hidden: true });
const inTranscript = (node) => (node.closest ? node : node.parentElement)?.closest("#transcript [data-t]");

// The second at which a place in a paragraph is said: its share of the characters.
const second = (paragraph, node, offset) => {
  const words = paragraph.querySelector("span:not(.time)");
  const before = new Range();
  before.setStart(words, 0);
  before.setEnd(node, offset);
  const all = [...document.querySelectorAll("#transcript [data-t]")];
  const start = Number(paragraph.dataset.t);
  const next = all[all.indexOf(paragraph) + 1]?.dataset.t ?? Math.max(start + 30, document.querySelector("#transcript").dataset.end);
  const length = words.textContent.length;
  const share = Math.min(1, before.toString().length / length);
  return start + share * Math.min(next - start, length / SLOWEST);
};

const quoted = () => {
  const selection = getSelection();
  if (selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const [first, last] = [inTranscript(range.startContainer), inTranscript(range.endContainer)];
  const words = selection.toString().replace(/\s+/g, " ").trim();
  if (!first || !last || !words) return null;
  const start = Math.floor(second(first, range.startContainer, range.startOffset));
  const end = Math.max(start + 1, Math.ceil(second(last, range.endContainer, range.endOffset)));
  const { show, title } = first.closest("#transcript").dataset;
  const at = new Date(start * 1000).toISOString().slice(start < 3600 ? 14 : 11, 19).replace(/^0/, "");
  return `“${words}” — ${show}, ${title} (${at}) ${location.origin}${location.pathname}?t=${start}-${end}`;
};

document.addEventListener("selectionchange", () => {
  const text = quoted();
  button.hidden = !text;
  if (!text) return;
  button.textContent = "Copy quote with link";
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  button.style.insetBlockStart = `${box.bottom + scrollY + 8}px`;
  document.body.append(button);
});
// The button must not take the selection away.
button.onpointerdown = (event) => event.preventDefault();
button.onclick = async () => {
  const text = quoted();
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch { prompt("Copy:", text); }
};
