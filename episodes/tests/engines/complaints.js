// Notes what a console would show, for WebKit, whose driver has no log. A test reads it from the session's storage.
const complain = (text) => { sessionStorage.complaints = `${sessionStorage.complaints ?? ""}${text}\n`; };
const log = console.error;
console.error = (...parts) => { complain(parts.join(" ")); log(...parts); };
addEventListener("error", ({ message, target }) => complain(message ?? `not loaded: ${target.src ?? target.href}`), true);
addEventListener("unhandledrejection", ({ reason }) => complain(`not handled: ${reason}`));
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => complain(`${violatedDirective} forbids ${blockedURI}`));
