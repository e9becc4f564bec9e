// What every page of the readers shares.

import "./keys.js";
import "./heard.js";
import "./search.js";
