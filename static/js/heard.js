// What was played, marked on episodes and lists; kept on this device alone.

const read = (key) => { try { return JSON.parse(localStorage[key]); } catch { return null; } };
const write = (key, value) => { try { localStorage[key] = JSON.stringify(value); } catch { /* blocked */ } };
const heard = new Set([].concat(read("heard") ?? []));
let hiding = read("hide-heard");

function button(made, act) {
  made.className = "toggle";
  made.hidden = false;
  made.onclick = () => { act(); draw(); };
  return made;
}

const mark = (is) => {
  heard[is ? "add" : "delete"](location.pathname);
  write("heard", [...heard]);
};
const made = () => document.createElement("button");
const own = button(document.querySelector(".toggle") ?? made(), () => mark(!heard.has(location.pathname)));

const line = document.createElement("p");
const hide = button(made(), () => write("hide-heard", hiding = !hiding));
const note = document.createElement("span");
note.role = "status";
line.className = "meta hide";
line.append(hide, note);

function draw() {
  own.ariaPressed = heard.has(location.pathname);
  hide.ariaPressed = !!hiding;
  const all = [...document.querySelectorAll(".entries > article")];
  const marked = all.filter((entry) => heard.has(entry.querySelector("a").pathname));
  for (const entry of all) {
    entry.classList.toggle("heard", marked.includes(entry));
    entry.hidden = hiding && marked.includes(entry);
  }
  hide.textContent = `Hide played (${marked.length})`;
  note.textContent = hiding ? `${marked.length} of ${all.length} on this page are hidden.` : "";
  if (!marked.length) line.remove();
  else if (!line.isConnected) all[0].before(line);
}

document.addEventListener("heard", () => { mark(true); draw(); });
document.addEventListener("swapped", draw);
draw();
