// A choice changes the list in place; where that fails, the browser follows the link.

const find = (selector, within = document) => within.querySelector(selector);
const form = find(".masthead form");
const status = document.createElement("p");
status.className = "hidden";
status.role = "status";
document.body.append(status);

const paths = new Set(["/", new URL(form.action).pathname]);
const named = (link) => (link.closest("nav, ul")?.ariaLabel + link.textContent).replace("×", "").trim();
let newest = 0;

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
    if (!answer.ok || !find("main .list", page)) throw answer;
    const main = find("main");
    const focused = find("main a:focus");
    const name = focused && named(focused);
    const open = find("main .facets")?.open;
    main.replaceChildren(...find("main", page).childNodes);
    document.title = page.title;
    for (const part of ["head [rel=canonical]", "head [rel=alternate]", ".masthead [type=hidden]"]) {
      for (const old of document.querySelectorAll(part)) old.remove();
      (part[0] === "h" ? document.head : form).append(...page.querySelectorAll(part));
    }
    if (document.activeElement !== form.q) form.q.value = find("#q", page).value;
    if (find(".facets")) find(".facets").open = open;
    if (focused) ([...main.querySelectorAll("a")].find((link) => named(link) === name) || main).focus({ preventScroll: true });
    scrollTo(0, top);
    status.textContent = find("h1").textContent;
    document.dispatchEvent(new Event("swapped"));
  } catch {
    location.assign(url);
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("main a");
  if (!link || link.origin !== location.origin || !paths.has(link.pathname) || link.hash) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(link.href, true, link.closest(".pages") ? 0 : scrollY);
});

let waiting = 0;
let typed = false; // what is typed in one go is one step back
const search = (event) => {
  clearTimeout(waiting);
  event?.preventDefault();
  const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
  if (typed) history.replaceState(0, "", url);
  show(url, !typed, 0);
  typed = true;
};
form.q.oninput = () => { clearTimeout(waiting); waiting = setTimeout(search, 300); };
form.q.onblur = () => { typed = false; };
form.onsubmit = search;

history.scrollRestoration = "manual";
addEventListener("popstate", (event) => show(location.href, false, event.state || 0));
