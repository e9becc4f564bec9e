// A link or form shows its page in place: from list to list always, to any page while something is in the player.
// If that fails, the browser goes to the page.

const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const find = (selector, within) => findAll(selector, within)[0];

const HEAD_LINKS = "head > [rel=canonical], head > [rel=alternate]";
const HIDDEN_FIELDS = ".masthead [type=hidden]"; // of the search form: the chosen filters
const STYLE_SHEETS = "link[rel=stylesheet]";

const currentAddress = () => location.pathname + location.search;
let shownAddress = currentAddress();
let requestCount = 0; // only the page of the latest request is shown
let isStepForward = false; // a click or search whose page has not come. A step back has its entry in the history

// All before this element belongs to the page. It and the player behind it stay.
const announcement = document.createElement("p");
Object.assign(announcement, { className: "hidden", role: "status" });
document.body.append(announcement);

const isList = ({ pathname }) => pathname === find(".masthead form").getAttribute("action");

function canShowInPlace(url) {
  const isOurPage = url.origin === location.origin && url.pathname.endsWith("/") && !url.pathname.startsWith("/admin/");
  const isPlayerOpen = Boolean(find(".dock:not([hidden])"));
  return isOurPage && (isPlayerOpen || (isList(location) && isList(url)));
}

// Scroll the months, if they are wider than the screen, to the newest year with episodes.
function revealNewestYear() {
  const newestMonth = findAll(".months a:has(path:not(.all))").pop();
  const year = newestMonth?.closest(".years > *");
  if (!year) return;
  const years = year.parentNode;
  const endOfYear = year.offsetLeft - years.offsetLeft + year.offsetWidth;
  years.scrollLeft = endOfYear - years.clientWidth;
}
document.addEventListener("toggle", revealNewestYear, true);
revealNewestYear();

// --- A page in place of another -----------------------------------------------------------------

// Add a style sheet before the present ones, which win until they are removed. Resolve when it is loaded, or cannot be.
const loadStyleSheet = (sheet) => new Promise((resolve) => {
  sheet.onload = sheet.onerror = resolve;
  find(STYLE_SHEETS).before(sheet);
});

// Return what a link is called, without the counts that differ from page to page ("Compilers: 12").
function linkName(link) {
  const group = link.closest("nav, ul")?.ariaLabel;
  return (group + (link.ariaLabel ?? link.textContent)).replace(/×|:.*/g, "").trim();
}

// Show another list. What is open, typed and focused stays.
function showList(page) {
  const focused = find("main:focus, main a:focus");
  const focusedName = focused?.matches("a") && linkName(focused);
  const openClasses = findAll(".list [open]").map(({ className }) => className);
  const form = find(".masthead form");
  find("main").replaceWith(find("main", page));
  findAll(`${HEAD_LINKS}, ${HIDDEN_FIELDS}`).forEach((part) => part.remove());
  document.head.append(...findAll(HEAD_LINKS, page));
  form.append(...findAll(HIDDEN_FIELDS, page));
  if (document.activeElement !== form.q) form.q.value = find("#q", page).value;
  for (const details of findAll(".list details")) details.open = openClasses.includes(details.className);
  if (!focused) return;
  const sameLink = findAll("main a").find((link) => linkName(link) === focusedName);
  (sameLink ?? find("main")).focus({ preventScroll: true });
}

function showPage(page, sheetsOfPage) {
  findAll(HEAD_LINKS).forEach((link) => link.remove());
  for (const sheet of findAll(STYLE_SHEETS)) if (!sheetsOfPage.includes(sheet.href)) sheet.remove();
  document.head.append(...findAll(HEAD_LINKS, page));
  while (document.body.firstChild !== announcement) document.body.firstChild.remove();
  announcement.before(...page.body.children);
  isTyping = false;
  find("main").focus({ preventScroll: true });
}

// Fetch a page and show it in place, scrolled to `top` pixels.
async function goTo(address, top) {
  requestCount += 1;
  const requestNumber = requestCount;
  const isLatest = () => requestNumber === requestCount;
  try {
    const answer = await fetch(address);
    const isPage = answer.ok && /^text\/html/.test(answer.headers.get("Content-Type"));
    if (!isPage) throw answer;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!find(".masthead form", page)) throw answer; // not a page of ours
    const presentSheets = findAll(STYLE_SHEETS).map(({ href }) => href);
    const newSheets = findAll(STYLE_SHEETS, page).filter(({ href }) => !presentSheets.includes(href));
    const sheetsOfPage = findAll(STYLE_SHEETS, page).map(({ href }) => href);
    if (isLatest()) await Promise.all(newSheets.map(loadStyleSheet));
    if (!isLatest()) return;
    await replacePage(page, sheetsOfPage, answer.url, new URL(address).hash, top);
  } catch {
    if (!isLatest()) return;
    if (address === location.href) location.reload();
    else location = address;
  }
}

async function replacePage(page, sheetsOfPage, address, hash, top) {
  const areLists = Boolean(find("main .list #episodes") && find("main .list #episodes", page));
  const replace = () => {
    if (isStepForward) {
      history.replaceState(scrollY, "");
      history.pushState(top, "", address);
    } else {
      history.replaceState(top, "", address);
    }
    document.title = page.title;
    if (areLists) showList(page);
    else showPage(page, sheetsOfPage);
    shownAddress = currentAddress();
    document.dispatchEvent(new CustomEvent("swapped", { detail: isStepForward }));
    revealNewestYear();
    if (hash) location.replace(hash); // which makes it the :target
    if (top || !hash) scrollTo(0, top);
  };
  const isMoving = !areLists && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const transition = isMoving && document.startViewTransition?.(replace);
  if (transition) {
    transition.ready.catch(() => {}); // the browser may skip the movement
    await transition.updateCallbackDone;
  } else {
    replace();
  }
  announcement.textContent = areLists ? find("h1").textContent : document.title;
  isStepForward = false;
}

// --- Clicks, forms and the history --------------------------------------------------------------

// On a narrow screen, where the filters are above the list, close them after a choice and show the heading with the
// count.
function showHeading(link) {
  if (!matchMedia("(max-width: 60rem)").matches) return;
  const filters = link.closest(".facets");
  if (filters) {
    filters.open = false;
    find("main").focus({ preventScroll: true });
  }
  const margin = 16; // pixels
  scrollTo(0, Math.min(scrollY, find("h1").offsetTop - margin));
}

// The player hears clicks before this listener, because those of the document come before those of the window.
addEventListener("click", (event) => {
  const link = event.target.closest("a[href]:not([download], [target])");
  const opensElsewhere = event.button || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (!link || event.defaultPrevented || opensElsewhere || !canShowInPlace(link)) return;
  const isOfThisPage = link.hash && link.pathname + link.search === currentAddress();
  if (isOfThisPage) return;
  event.preventDefault();
  isStepForward = true;
  const narrowsList = isList(location) && isList(link) && link.matches("main a:not(.pages *)");
  if (narrowsList) showHeading(link);
  goTo(link.href, narrowsList ? scrollY : 0);
});

let typingTimer;
let isTyping = false; // all that is typed in one go is one step back

addEventListener("submit", (event) => {
  const form = event.target;
  const url = new URL(form.action);
  url.search = new URLSearchParams(new FormData(form, event.submitter));
  if (event.defaultPrevented || form.method !== "get" || !canShowInPlace(url)) return;
  event.preventDefault();
  clearTimeout(typingTimer);
  if (!isTyping) isStepForward = true;
  isTyping = form.matches(".masthead *");
  goTo(url.href, 0);
});
document.addEventListener("input", ({ target }) => {
  if (!target.matches(".masthead input:not([data-suggest])")) return;
  clearTimeout(typingTimer);
  typingTimer = setTimeout(() => target.form.requestSubmit(), 300);
});
document.addEventListener("focusout", () => { isTyping = false; });

document.addEventListener("moved", () => { shownAddress = currentAddress(); });
addEventListener("popstate", (event) => {
  if (currentAddress() === shownAddress) return;
  isStepForward = false;
  goTo(location.href, event.state || 0);
});
