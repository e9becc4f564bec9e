// Select words of a transcript: a menu copies their sentences with a link that plays them, or suggests a correction.

// The limits of the server.
const MIN_CHARACTERS_PER_SECOND = 5; // of speech
const MAX_RANGE_SECONDS = 180; // that a link plays
const MAX_CORRECTED_CHARACTERS = 200;

const menu = Object.assign(document.createElement("div"), { className: "quoting", hidden: true });
menu.innerHTML = '<button type="button"></button><a rel="nofollow">Suggest a correction</a>';
const [copyButton, suggestLink] = menu.children;

const paragraphOf = (node) => (node.closest ? node : node.parentElement)?.closest("#transcript p[id]");
const wordsOf = (paragraph) => paragraph.querySelector("span:not(.time)");
const countCharacters = (text) => [...text].length; // as the server counts, 1 for an emoji

// Return the words of a paragraph between two positions. A position is [node, offset]; without one it is the end of
// the paragraph on that side. Speakers, times and chapters are no words.
function wordsBetween(paragraph, start, end) {
  const range = new Range();
  range.selectNodeContents(wordsOf(paragraph));
  if (start) range.setStart(...start);
  if (end) range.setEnd(...end);
  return range.toString();
}

// Return the second at a position in a paragraph. Between two characters with known times speech is taken as even.
function secondAt(paragraph, position) {
  const transcript = paragraph.closest("#transcript");
  const paragraphs = [...transcript.querySelectorAll("p[id]")];
  // Character and second of each known time: "0:0 312:24.5".
  transcript.times ??= transcript.dataset.times.split(" ").map((time) => time.split(":").map(Number));
  transcript.sizes ??= paragraphs.map((other) => countCharacters(wordsOf(other).textContent) + 1);
  const sizesBefore = transcript.sizes.slice(0, paragraphs.indexOf(paragraph));
  const charactersBefore = sizesBefore.reduce((sum, size) => sum + size, 0);
  const character = charactersBefore + countCharacters(wordsBetween(paragraph, null, position));
  const nextIndex = transcript.times.findIndex(([known]) => known > character);
  const [[fromCharacter, start], [toCharacter, end]] = transcript.times.slice(nextIndex - 1, nextIndex + 1);
  const secondsPerCharacter = (end - start) / (toCharacter - fromCharacter);
  return start + (character - fromCharacter) * Math.min(secondsPerCharacter, 1 / MIN_CHARACTERS_PER_SECOND);
}

// Return the first and the last selected paragraph with the positions in them, or {}.
function readSelection() {
  const selection = getSelection();
  if (selection.isCollapsed) return {};
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  return {
    first: paragraphOf(startContainer), start: [startContainer, startOffset],
    last: paragraphOf(endContainer), end: [endContainer, endOffset],
  };
}

// Return the address of the form for the selected words of one paragraph, or null. A word that is selected in part
// counts as a whole.
function correctionAddressOrNull() {
  const { first, start, last, end } = readSelection();
  const formAddress = first?.closest("#transcript").dataset.suggest;
  if (!formAddress || first !== last) return null;
  const text = wordsOf(first).textContent;
  const startIndex = wordsBetween(first, null, start).length;
  const selected = wordsBetween(first, start, end);
  const [beginning] = text.slice(0, startIndex).match(/[\p{L}\p{N}]*$/u);
  const [ending] = text.slice(startIndex + selected.length).match(/^[\p{L}\p{N}]*/u);
  const words = (beginning + selected + ending).trim();
  if (!words || words.length > MAX_CORRECTED_CHARACTERS) return null;
  return `${formAddress}&wrong=${encodeURIComponent(words)}`;
}

// Return the selected words and the address of their range, or null.
function quoteOrNull() {
  const { first, start, last, end } = readSelection();
  const haveTimes = first?.dataset.t && last?.dataset.t;
  if (!haveTimes) return null;
  const allParagraphs = [...document.querySelectorAll("#transcript p[id]")];
  const paragraphs = allParagraphs.slice(allParagraphs.indexOf(first), allParagraphs.indexOf(last) + 1);
  const parts = paragraphs.map((paragraph) => (
    wordsBetween(paragraph, paragraph === first && start, paragraph === last && end)
  ));
  const words = parts.join(" ").replace(/\s+/g, " ").trim();
  if (!words) return null;
  const rounding = 0.1; // seconds: the known times are rounded to tenths
  const startSecond = Math.floor(secondAt(first, start) + rounding);
  const endSecond = Math.max(startSecond + 1, Math.ceil(secondAt(last, end) - rounding));
  if (endSecond - startSecond > MAX_RANGE_SECONDS) return null;
  return { words, address: `${location.origin}${location.pathname}?t=${startSecond}-${endSecond}` };
}

// Return the quote with its whole sentences, as the page at its address has them. Without a network return it as it is.
async function withWholeSentences(quote) {
  try {
    const answer = await fetch(quote.address); // it redirects to the range of the whole sentences
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const sentences = [...page.querySelectorAll(".quote mark.whole")].map((mark) => mark.textContent);
    return sentences.length > 0 ? { words: sentences.join(" "), address: answer.url } : quote;
  } catch {
    return quote;
  }
}

// Return “Words.” — Show, Title (1:02) address.
function formatQuote({ words, address }) {
  const { show, title } = document.querySelector("#transcript").dataset;
  const second = parseInt(new URL(address).searchParams.get("t"));
  const time = new Date(second * 1000).toISOString(); // "1970-01-01T01:02:03.000Z"
  const clock = time.slice(second < 3600 ? 14 : 11, 19).replace(/^0/, "");
  return `“${words}” — ${show}, ${title} (${clock}) ${address}`;
}

function showMenu() {
  const correctionAddress = correctionAddressOrNull();
  copyButton.hidden = !quoteOrNull();
  suggestLink.hidden = !correctionAddress;
  menu.hidden = copyButton.hidden && suggestLink.hidden;
  if (menu.hidden) return;
  copyButton.textContent = "Copy quote with link";
  suggestLink.href = correctionAddress ?? "";
  const selected = getSelection().getRangeAt(0).getBoundingClientRect();
  const gap = 8; // pixels
  menu.style.insetBlockStart = `${selected.bottom + scrollY + gap}px`;
  document.body.append(menu);
}
document.addEventListener("selectionchange", showMenu);
showMenu(); // the selection may be older than this script
menu.onpointerdown = (event) => event.preventDefault(); // a click must not take the selection away

copyButton.onclick = async () => {
  const text = withWholeSentences(quoteOrNull()).then(formatQuote);
  const blob = text.then((words) => new Blob([words], { type: "text/plain" }));
  try {
    // Some browsers write during a click alone. They accept a promise of the text.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    copyButton.textContent = "Copied";
  } catch {
    prompt("Copy:", await text);
  }
};

// A link can lead to a paragraph in a closed fold, which older browsers do not open by themselves.
function openFoldOfTarget() {
  const target = document.querySelector("#transcript details:not([open]) :target");
  if (!target) return;
  target.closest("details").open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openFoldOfTarget);
openFoldOfTarget();
