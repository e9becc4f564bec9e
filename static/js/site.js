// The one script of every page of the readers; keys come first, so that they can be switched off.

import "./keys.js";
import "./heard.js";
import "./search.js";
import "./pages.js";
import "./player.js";
import "./share.js";

// A part that has a script of its own, such as a transcript to quote, asks for it.
const more = () => {
  const part = document.querySelector("main [data-script]");
  if (part) import(part.dataset.script);
};
document.addEventListener("swapped", more);
more();
