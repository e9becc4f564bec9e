// The one script of every page of the readers; keys come first, so that they can be switched off.

import "./keys.js";
import "./heard.js";
import "./search.js";
import "./pages.js";
import "./player.js";
import "./share.js";

// Parts that have a script of their own, such as a transcript to quote, ask for it.
const more = () => {
  for (const part of document.querySelectorAll("main [data-script]")) import(part.dataset.script);
};
document.addEventListener("swapped", more);
more();
