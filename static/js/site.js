// The script of every page for readers. Keys come first, so that they can be switched off.

import "./keys.js";
import "./heard.js";
import "./search.js";
import "./pages.js";
import "./player.js";
import "./share.js";

// Some parts of pages name a script of their own, such as the transcript.
function importScriptsOfParts() {
  for (const part of document.querySelectorAll("main [data-script]")) import(part.dataset.script);
}
document.addEventListener("swapped", importScriptsOfParts);
importScriptsOfParts();
