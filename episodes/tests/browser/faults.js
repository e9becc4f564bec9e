// The faults of a page in a browser, as sentences: covered controls, sideways scroll, clipped text, broken words,
// and for `fingers` controls that are too small for one.
({ unseen, shortened, fingers }) => {
  const CONTROLS = "a[href], button, input, select, textarea, summary, label";
  const WORD = /(?<=^|[\s-])[\p{L}\p{N}]{2,12}(?=$|[\s-])/gu;
  const root = document.documentElement;
  // Looking for controls scrolls, so texts are looked at before.
  for (const one of document.querySelectorAll("*")) one.scrollLeft = 0;

  const name = (element) => {
    const part = element.id ? `#${element.id}` : element.classList[0] ? `.${element.classList[0]}` : "";
    return `${element.localName}${part} “${(element.textContent.trim() || element.name || "").slice(0, 40)}”`;
  };
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(unseen);
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);

  // A link in a drawing is as large as all that it draws; what is clicked is its first shape.
  const target = (control) => (control.ownerSVGElement ? control.querySelector("rect, path, circle") : control);
  const box = (control) => [...target(control).getClientRects()].find((one) => one.width && one.height);
  const covered = (control) => {
    control.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = box(control);
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    const own = [control, control.control, ...(control.labels ?? [])];
    return own.some((one) => one?.contains(hit)) ? null : `${name(control)} is covered by ${hit ? name(hit) : "nothing"}`;
  };

  // A link within a text is as high as its line.
  const isSmall = (control) => {
    const { width, height } = control.getBoundingClientRect();
    const isExempt = getComputedStyle(control).display === "inline" || control.matches("label, label *");
    return fingers && !isExempt && Math.min(width, height) < 39.5;
  };

  const clips = (element) => {
    const style = getComputedStyle(element);
    const cuts = (axis) => ["hidden", "clip"].includes(style[`overflow${axis}`]);
    const wide = cuts("X") && element.scrollWidth > element.clientWidth + 1;
    const tall = cuts("Y") && element.scrollHeight > element.clientHeight + 1;
    return (wide || tall) && element.innerText?.trim() && !element.closest(shortened);
  };

  // Where a text goes on to the left of where it was, a new line has begun.
  const wraps = (range) => {
    const pieces = [...range.getClientRects()].filter((piece) => piece.width);
    return pieces.some((piece, place) => place && piece.left < pieces[place - 1].right - 1);
  };
  const range = document.createRange();
  const part = (text, start, length) => {
    range.setStart(text, start);
    range.setEnd(text, start + length);
    return range;
  };
  const broken = (text) => {
    if (!wraps(part(text, 0, text.length)) || text.parentElement.closest(shortened)) return [];
    const heading = text.parentElement.closest("h1, h2, h3")?.textContent.trim();
    const words = [...text.data.matchAll(WORD)].filter((word) => wraps(part(text, word.index, word[0].length)));
    return heading?.length <= 6 ? [heading] : words.map((word) => word[0]);
  };
  const outside = (text) => {
    const pieces = [...part(text, 0, text.length).getClientRects()];
    return pieces.some((piece) => piece.width && piece.left < -1);
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode);
  const read = texts.filter((text) => text.data.trim() && shown(text.parentElement));

  const spill = root.scrollWidth - root.clientWidth;
  const wide = spill > 0 ? all("body *").filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1).slice(-2) : [];
  return [
    ...(spill > 0 ? [`scrolls sideways by ${spill} px: ${wide.map(name).join(", ")}`] : []),
    ...all("body *").filter(clips).map((element) => `${name(element)} is clipped`),
    ...read.filter(outside).map((text) => `“${text.data.trim().slice(0, 40)}” begins outside of the screen`),
    ...new Set(read.flatMap(broken).map((word) => `“${word}” is broken in two`)),
    ...all(CONTROLS).filter(box).map(covered).filter(Boolean),
    ...all(CONTROLS).filter(box).filter(isSmall).map((control) => `${name(control)} is small`),
  ];
}
