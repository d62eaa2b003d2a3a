// The API key: the form that asks for it, and the link that brings it along.

import * as api from "./api.js";
import {byID} from "./dom.js";

// takeKey takes the key out of the URL, and reports whether there is one.
export function takeKey() {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (!match) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  let text = match[1];
  try {
    text = decodeURIComponent(text);
  } catch {} // not encoded
  if (api.setKey(text)) return true;
  askKey("The key in the address of this page is not a key. Type it here.");
  return false;
}

export function askKey(reason) {
  byID("key").hidden = false;
  byID("key-button").setAttribute("aria-expanded", "true");
  byID("key-reason").textContent = reason;
  byID("key-input").focus();
}

export function closeKey() {
  byID("key").hidden = true;
  byID("key-input").value = "";
  byID("key-button").setAttribute("aria-expanded", "false");
}

// onKey calls use when the person has given a key.
export function onKey(use) {
  byID("keep").checked = api.keeps();
  byID("key-button").addEventListener("click", () => (byID("key").hidden ? askKey(api.hasKey() ? "A key is in use. You can use another one." : "Type the API key that you were given. The command serve prints a link that brings it along.") : closeKey()));
  byID("key").addEventListener("submit", e => {
    e.preventDefault();
    const fits = api.setKey(byID("key-input").value);
    byID("key-input").setAttribute("aria-invalid", String(!fits));
    if (!fits) return askKey("This is not a key: it is empty, or has blanks or letters that a key cannot have.");
    api.keep(byID("keep").checked);
    closeKey();
    use();
  });
}
