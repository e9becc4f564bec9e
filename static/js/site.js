// The one script of every page of the readers; keys come first, so that they can be switched off.

import "./keys.js";
import "./heard.js";
import "./search.js";
import "./pages.js";
import "./player.js";

// What is quoted is a transcript: only its page asks for the script.
const quotable = () => {
  const transcript = document.querySelector("#transcript");
  if (transcript) import(transcript.dataset.script);
};
document.addEventListener("swapped", quotable);
quotable();
