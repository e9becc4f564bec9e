// A choice changes the list in place; where that fails, the browser follows the link.

import "./site.js";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const find = (selector, within) => all(selector, within)[0];
const form = find(".masthead form");
const lists = [`${location.origin}/`, form.action];
const PARTS = "head > [rel=canonical], head > [rel=alternate], .masthead [type=hidden]";
const named = (link) => link && (link.closest("nav, ul")?.ariaLabel + (link.ariaLabel ?? link.textContent)).replace(/×|:.*/g, "").trim();
let newest = 0;

// Where the months need to scroll, the newest year with episodes is in view.
function reveal() {
  const month = all(".months a:has(path:not(.all))").pop();
  const year = month?.closest(".years > *");
  if (year) year.parentNode.scrollLeft = year.offsetLeft - year.parentNode.offsetLeft + year.offsetWidth - year.parentNode.clientWidth;
}
document.addEventListener("toggle", reveal, true);
reveal();

async function show(url, push, top) {
  const mine = ++newest;
  if (push) {
    history.replaceState(scrollY, "");
    history.pushState(top, "", url);
  }
  try {
    const answer = await fetch(url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== newest) return;
    if (!find("main .list", page)) throw answer;
    const name = named(find("main a:focus"));
    const open = all(".list [open]").map((one) => one.className);
    find("main").replaceWith(find("main", page));
    document.title = page.title;
    for (const old of all(PARTS)) old.remove();
    for (const part of all(PARTS, page)) (part.rel ? document.head : form).append(part);
    if (document.activeElement !== form.q) form.q.value = find("#q", page).value;
    for (const one of all(".list details")) one.open = open.includes(one.className);
    if (name) (all("main a").find((link) => named(link) === name) ?? find("main")).focus({ preventScroll: true });
    reveal();
    scrollTo(0, top);
    find("body > [role=status]").textContent = find("h1").textContent;
    document.dispatchEvent(new Event("swapped"));
  } catch {
    location = url;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("main a");
  if (!lists.includes(link?.href.split("?")[0]) || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(link.href, true, link.closest(".pages") ? 0 : scrollY);
});

let waiting, typed; // what is typed in one go is one step back
form.onsubmit = (event) => {
  clearTimeout(waiting);
  event?.preventDefault();
  const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
  if (typed) history.replaceState(0, "", url);
  show(url, !typed, 0);
  typed = true;
};
form.q.oninput = () => { clearTimeout(waiting); waiting = setTimeout(form.onsubmit, 300); };
form.q.onblur = () => { typed = false; };

addEventListener("popstate", (event) => show(location.href, false, event.state || 0));
