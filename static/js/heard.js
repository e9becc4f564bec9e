// What was played: marks on episodes, lists and paths, kept on this device alone.

const read = (key) => { try { return JSON.parse(localStorage[key]); } catch {} };
const write = (key, value) => { try { localStorage[key] = JSON.stringify(value); } catch {} };
const all = (selector) => document.querySelectorAll(selector);
const heard = new Set([].concat(read("heard") ?? []));
let hiding = read("hide-heard");

const line = document.createElement("p");
line.className = "meta hide";
line.innerHTML = "<button class=toggle></button><span role=status></span>";
const [hide, note] = line.children;

function draw() {
  const here = location.pathname;
  const [own] = all(".meta:not(.hide) .toggle");
  const isHeard = heard.has(here);
  if (own) Object.assign(own, { hidden: false, ariaPressed: isHeard, onclick: () => mark(here, !isHeard) });
  if (own) own.textContent = isHeard ? "Played" : "Mark as played";
  hide.ariaPressed = !!hiding;
  for (const one of all(".entries article, .route li")) {
    const played = heard.has(one.querySelector("a").pathname);
    one.classList.toggle("heard", played);
    one.hidden = hiding && played && one.matches("article");
  }
  const entries = all(".entries article");
  const done = all("article.heard").length;
  hide.textContent = `Hide played (${done})`;
  note.textContent = hiding ? `${done} of ${entries.length} on this page are hidden.` : "";
  if (!done) line.remove();
  else if (!line.isConnected) entries[0].before(line);
  for (const bar of all("progress")) {
    bar.value = bar.closest(".path").querySelectorAll(".heard").length;
    bar.nextElementSibling.textContent = bar.value;
  }
}

function mark(path, is) {
  heard[is ? "add" : "delete"](path);
  write("heard", [...heard]);
  draw();
}

hide.onclick = () => { write("hide-heard", hiding = !hiding); draw(); };
document.addEventListener("heard", ({ detail }) => mark(detail, true));
document.addEventListener("swapped", draw);
draw();
