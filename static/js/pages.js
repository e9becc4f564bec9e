// A link or form changes the page in place: from list to list always, to any page while something is in the player.
// Where that fails, the browser goes there.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const find = (selector, within) => all(selector, within)[0];
const PARTS = "head > [rel=canonical], head > [rel=alternate], .masthead [type=hidden]";
const SHEETS = "link[rel=stylesheet]";
const named = (link) => link && (link.closest("nav, ul")?.ariaLabel + (link.ariaLabel ?? link.textContent)).replace(/×|:.*/g, "").trim();
const here = () => location.pathname + location.search;
let newest = 0, shown = here();
let forward; // a step that no page has answered yet

// It stays, as the player behind it does; all before it is the page's.
const told = document.createElement("p");
Object.assign(told, { className: "hidden", role: "status" });
document.body.append(told);

const isList = ({ pathname }) => pathname === find(".masthead form").getAttribute("action");
const inPlace = (url) => url.origin === location.origin && url.pathname.endsWith("/") && !url.pathname.startsWith("/admin/")
  && (find(".dock:not([hidden])") || (isList(location) && isList(url)));

// Where the months need to scroll, the newest year with episodes is in view.
function reveal() {
  const month = all(".months a:has(path:not(.all))").pop();
  const year = month?.closest(".years > *");
  if (year) year.parentNode.scrollLeft = year.offsetLeft - year.parentNode.offsetLeft + year.offsetWidth - year.parentNode.clientWidth;
}
document.addEventListener("toggle", reveal, true);
reveal();

// The new page's sheets come before the old ones, which rule until they go.
const styled = (sheet) => new Promise((done) => {
  sheet.onload = sheet.onerror = done;
  find(SHEETS).before(sheet);
});

function changeList(page) {
  const focused = find("main:focus, main a:focus");
  const name = focused?.matches("a") && named(focused);
  const open = all(".list [open]").map((one) => one.className);
  const form = find(".masthead form");
  find("main").replaceWith(find("main", page));
  for (const old of all(PARTS)) old.remove();
  for (const part of all(PARTS, page)) (part.rel ? document.head : form).append(part);
  if (document.activeElement !== form.q) form.q.value = find("#q", page).value;
  for (const one of all(".list details")) one.open = open.includes(one.className);
  if (focused) (all("main a").find((link) => named(link) === name) ?? find("main")).focus({ preventScroll: true });
}

function changePage(page, wanted) {
  for (const old of all(`head > [rel=canonical], head > [rel=alternate], ${SHEETS}`)) {
    if (!wanted.includes(old.href)) old.remove();
  }
  document.head.append(...all("head > [rel=canonical], head > [rel=alternate]", page));
  while (document.body.firstChild !== told) document.body.firstChild.remove();
  told.before(...page.body.children);
  typed = false;
  find("main").focus({ preventScroll: true });
}

async function show(url, top) {
  const mine = ++newest;
  try {
    const answer = await fetch(url);
    if (!answer.ok || !/^text\/html/.test(answer.headers.get("Content-Type"))) throw answer;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const known = all(SHEETS).map((sheet) => sheet.href), wanted = all(SHEETS, page).map((sheet) => sheet.href);
    const lists = find("main .list #episodes") && find("main .list #episodes", page);
    if (!find(".masthead form", page)) throw answer;
    if (mine === newest) await Promise.all(all(SHEETS, page).filter((sheet) => !known.includes(sheet.href)).map(styled));
    if (mine !== newest) return;
    const { hash } = new URL(url);
    const change = () => {
      if (forward) history.replaceState(scrollY, "");
      history[forward ? "pushState" : "replaceState"](top, "", answer.url);
      document.title = page.title;
      (lists ? changeList : changePage)(page, wanted);
      shown = here();
      document.dispatchEvent(new CustomEvent("swapped", { detail: forward }));
      reveal();
      if (hash) location.replace(hash); // which makes it the target
      if (top || !hash) scrollTo(0, top);
    };
    const moving = !lists && !matchMedia("(prefers-reduced-motion: reduce)").matches && document.startViewTransition?.(change);
    if (moving) moving.ready.catch(() => {}); // skipped
    await (moving ? moving.updateCallbackDone : change());
    told.textContent = lists ? find("h1").textContent : document.title;
    forward = false;
  } catch {
    if (mine !== newest) return;
    if (url === location.href) location.reload();
    else location = url;
  }
}

// On a narrow screen the filters are above the list: they close after a choice, and the heading with the count is in view.
function showHeading(link) {
  if (!matchMedia("(max-width: 60rem)").matches) return;
  const filters = link.closest(".facets");
  if (filters) {
    filters.open = false;
    find("main").focus({ preventScroll: true });
  }
  scrollTo(0, Math.min(scrollY, find("h1").offsetTop - 16));
}

// The player hears clicks before this.
addEventListener("click", (event) => {
  const link = event.target.closest("a[href]:not([download], [target])");
  const elsewhere = ["defaultPrevented", "button", "ctrlKey", "metaKey", "altKey", "shiftKey"].some((key) => event[key]);
  if (!link || elsewhere || !inPlace(link)) return;
  if (link.hash && link.pathname + link.search === here()) return;
  event.preventDefault();
  forward = true;
  const stays = isList(location) && isList(link) && link.matches("main a:not(.pages *)");
  if (stays) showHeading(link);
  show(link.href, stays ? scrollY : 0);
});

let waiting, typed; // what is typed in one go is one step back
addEventListener("submit", (event) => {
  const form = event.target;
  const url = new URL(form.action);
  url.search = new URLSearchParams(new FormData(form, event.submitter));
  if (event.defaultPrevented || form.method !== "get" || !inPlace(url)) return;
  event.preventDefault();
  clearTimeout(waiting);
  forward ||= !typed;
  typed = form.matches(".masthead *");
  show(url.href, 0);
});
document.addEventListener("input", ({ target }) => {
  if (!target.matches(".masthead input:not([data-suggest])")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => target.form.requestSubmit(), 300);
});
document.addEventListener("focusout", () => { typed = false; });

document.addEventListener("moved", () => { shown = here(); });
addEventListener("popstate", (event) => {
  if (here() === shown) return;
  forward = false;
  show(location.href, event.state || 0);
});
