// Where the person is: the fragment of the URL says it, so that a verdict can be bookmarked and
// Back leads to the one before. No server sees a fragment.

const places = new Map(); // what to show again, by the id in the state of the history
let last = 0;

// fragment returns the fragment of a verdict: #chain/address, and @day if its lists are of a day.
export const fragment = (text, chain, at) => `#${chain || "any"}/${encodeURIComponent(text).replaceAll("%3A", ":")}${at ? "@" + at.slice(0, 10) : ""}`;

// question returns the question that the fragment of the URL asks, or null.
export function question() {
  const [, chain, text, at] = /^#([a-z0-9-]+)\/([^@]+)(?:@(\d{4}-\d\d-\d\d))?$/.exec(location.hash) ?? [];
  try {
    return text ? {chain: chain === "any" ? "" : chain, text: decodeURIComponent(text), at: at ?? ""} : null;
  } catch {
    return null; // not encoded as a URL is
  }
}

// arrive makes hash the fragment of the URL. again is called to show the place again. The person
// stays at the entry of the history if it has this fragment already.
export function arrive(hash, again, stay = hash !== "" && hash === location.hash) {
  places.set(++last, again);
  places.delete(last - 30); // it is asked again
  history[stay ? "replaceState" : "pushState"]({id: last}, "", location.pathname + location.search + hash);
}

// onBack calls open if the person goes to an entry of the history that is not known, such as an
// edited URL. The others show themselves.
export const onBack = open => addEventListener("popstate", e => (places.get(e.state?.id) ?? open)());
