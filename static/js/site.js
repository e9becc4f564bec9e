// The one script of every page of the readers; keys come first, so that they can be switched off.

import "./keys.js";
import "./heard.js";
import "./search.js";
import "./quote.js";
import "./pages.js";
import "./player.js";
