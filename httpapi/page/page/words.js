// The sentences of the page: levels, matches, ages, caveats and problems.

export const DAY = 86400; // seconds after which a list is stale

export const count = n => Number(n).toLocaleString("en");
export const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;

// span returns a duration in its largest unit, as in "3 hours".
export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return plural(s, "second");
  if (s < 3600) return plural(Math.floor(s / 60), "minute");
  if (s < 2 * DAY) return plural(Math.floor(s / 3600), "hour");
  return plural(Math.floor(s / DAY), "day");
}

export const ago = seconds => (seconds < 60 ? "just now" : span(seconds) + " ago");

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = n => String(n).padStart(2, "0");

// day and moment return a time in UTC, as in "22 Nov 2026" and "22 Nov 2026, 09:30:00 UTC".
export function day(iso) {
  const t = new Date(iso);
  return iso && !isNaN(t) ? `${t.getUTCDate()} ${months[t.getUTCMonth()]} ${t.getUTCFullYear()}` : "";
}
export function moment(iso) {
  const t = new Date(iso);
  return day(iso) && `${day(iso)}, ${two(t.getUTCHours())}:${two(t.getUTCMinutes())}:${two(t.getUTCSeconds())} UTC`;
}

// and joins words, as in "a, b and c".
export const and = words => (words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1));

// or joins the first words, as in "a, b or c".
export const or = words => (words.length > 3 ? [...words.slice(0, 3), `${words.length - 3} more`] : words).join(", ").replace(/, ([^,]*)$/, " or $1");

// levels has the word and the shape of each level, the highest first.
export const levels = {
  CRITICAL: ["Critical risk", "critical"],
  HIGH: ["High risk", "high"],
  MEDIUM: ["Medium risk", "medium"],
  LOW: ["Low risk", "low"],
  CLEAN_NO_MATCH: ["No match", "clean"],
};

const kinds = {
  SANCTIONED: "Sanctioned",
  TERRORIST_FINANCING: "Terrorist financing",
  STOLEN_FUNDS: "Stolen funds",
  BLOCKED: "Blocked by your own list",
  COMMUNITY_REPORT: "Reported by the community",
};

// kind returns the words for a kind of label.
export const kind = k => kinds[k] ?? k.charAt(0) + k.slice(1).toLowerCase().replaceAll("_", " ");

const same = (a, b) => a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());

// matched says in a sentence how label l was found for an address.
export function matched(l, address) {
  const listed = l.listed_address ?? "";
  const spelled = !listed || same(listed, address);
  switch (l.match) {
    case "family":
      return `The list names the same account on a sister chain${spelled ? "." : `, as ${listed}.`}`;
    case "key":
      return `The same key or script controls this address and the listed ${listed || "one"}.`;
    case "literal":
      return spelled ? "The list prints this very text. The text is not a valid address, so only its letters were compared."
        : `The list prints ${listed}, which has a typing error. With the error repaired, it is this address.`;
    default:
      return spelled ? "The list names this very address." : `The list names this account, written as ${listed}.`;
  }
}

// states returns the state of each list, from data_freshness and the names in sources.
export function states(freshness, sources) {
  const known = new Map((sources ?? []).map(s => [s.id, s]));
  return Object.entries(freshness ?? {}).map(([id, f]) => state({...known.get(id), id, ...f}));
}

// state adds to a list its name, age, one word for its condition, and what that
// means for an answer.
export function state(s) {
  const name = s.name || s.id;
  const age = s.age_seconds ?? (s.last_updated ? Math.max(0, (Date.now() - new Date(s.last_updated)) / 1000) : null);
  let word = "current", caveat = "";
  if (s.partial || s.completeness === "partial") {
    word = "partial";
    caveat = `${name} is loaded only in part. Addresses in the missing part would not be found.`;
  } else if (age === null && s.completeness) {
    word = "stale";
    caveat = `It is not known when ${name} was last checked. Addresses listed lately may not be found.`;
  } else if (age === null) {
    word = "missing";
    caveat = `${name} has not been loaded. It was not searched.`;
  } else if (age > DAY) {
    word = "stale";
    caveat = `${name} was last checked ${ago(age)}. Addresses listed since then would not be found.`;
  }
  return {...s, name, age, word, caveat};
}

// suppressed says what exceptions keep out of the score.
export const suppressed = list => (list ?? []).map(x =>
  `A match on ${x.source} (${x.source_ref}) does not count: ${[x.reason, x.author && `says ${x.author}`].filter(Boolean).join(", ") || "an exception"}` +
  `${x.expires_at ? `, until ${day(x.expires_at)}` : ""}.`);

// doubtful has the results of addresses that may have a typing error.
export const doubtful = new WeakSet();

// verdict returns what a result says in words: the title, the shape, a line, and the
// caveats that stand above them. A result without a match is an all-clear only if it
// has no caveat.
export function verdict(result, lists) {
  const caveats = lists.map(s => s.caveat).filter(Boolean).concat(suppressed(result.suppressed));
  if (lists.length === 0) caveats.push("No list was searched.");
  if (doubtful.has(result)) caveats.push("The capitals do not match the checksum of the address. Compare it with the original: one character may be wrong.");
  const [title, shape] = levels[result.level] ?? [kind(result.level), "unknown"];
  if (result.level !== "CLEAN_NO_MATCH") {
    const first = result.labels[0] ?? {};
    const names = [...new Set(result.labels.map(l => lists.find(s => s.id === l.source)?.name ?? l.source))];
    const line = first.label ? `${kind(first.label)}. Found on ${and(names)}.` : "";
    return {title, shape, line, caveats, lead: "There may be more than this."};
  }
  if (caveats.length > 0) {
    const searched = lists.filter(s => !s.caveat).length;
    const line = searched > 0 ? `Not found on the ${plural(searched, "list")} that ${searched === 1 ? "is" : "are"} complete and current.` : "No complete and current list was searched.";
    return {title: "No match, but not an all-clear", shape: "qualified", line, caveats, lead: "This is not an all-clear."};
  }
  const oldest = Math.max(...lists.map(s => s.age)); // each has one: a list without is a caveat
  return {title, shape, line: `Not found on ${lists.length === 1 ? "the one list" : `any of the ${lists.length} lists`} searched, ${lists.length === 1 ? "" : "each "}checked in the last ${oldest < 3600 ? "hour" : `${Math.ceil(oldest / 3600)} hours`}.`, caveats, lead: ""};
}

// problem returns what went wrong: a title, a sentence, and what to do.
export function problem(p) {
  const wait = p.retryAfter > 0 ? `Try again in ${span(p.retryAfter)}.` : "";
  switch (p.code) {
    case "offline": return ["The server cannot be reached", "Nothing was screened. Check the connection and that the server runs.", wait];
    case "timeout": return ["The server does not answer", p.detail, wait];
    case "missing_credentials": return ["An API key is needed", "Nothing was screened. The server answers only callers with a key.", "Type your key above."];
    case "invalid_token": return ["The key is not accepted", "Nothing was screened. The key is unknown, expired or revoked.", "Type another key above. What you entered is still here."];
    case "insufficient_scope": return ["The key does not allow this", p.detail, "Ask for a key with this permission."];
    case "quota_exceeded": {
      const at = p.retryAfter > 0 ? new Date(Date.now() + p.retryAfter * 1000).toISOString() : "";
      return ["The quota of this key is used up", "The server screens nothing more for this key.", at ? `The quota renews on ${day(at)}. You can also use another key.` : "Use another key, or wait until the quota renews."];
    }
    case "rate_limited": return ["Too many requests at once", "Nothing was screened.", wait];
    case "sources_unavailable": return ["A required list is not loaded", "Without it, no address can be called clean, so the server gives no answer.", wait];
    case "sources_stale": return ["A required list is too old", "Without a current list, no address can be called clean, so the server gives no answer.", wait];
    case "which_chain": return ["Which chain is this address on?", p.detail, "Choose its chain above. Nothing was screened."];
    case "invalid_address":
    case "unsupported_chain": return [p.code === "invalid_address" ? "This is not an address" : "The chain is not supported", p.detail, "Nothing was screened."];
    default: return ["The server could not answer", p.detail || "Nothing was screened.", wait];
  }
}
