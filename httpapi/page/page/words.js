// The sentences of the page: levels, matches, ages, caveats and problems.

import {now as clock} from "./clock.js";

export const DAY = 86400; // seconds

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

// plain removes the characters that nobody sees, as package visible does: names from lists
// could use them to show another text.
export const plain = text => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").replace(/[\p{Cf}\p{DI}\p{VS}]/gu, "");

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
  SEIZED: "Named for seizure",
  STOLEN_FUNDS: "Stolen funds",
  BLOCKED: "Blocked by your own list",
  COMMUNITY_REPORT: "Reported by the community",
};

// kind returns the words for a kind of label.
export const kind = k => kinds[k] ?? k.charAt(0) + k.slice(1).toLowerCase().replaceAll("_", " ");

// same reports whether two spellings of an account differ in nothing that matters.
export const same = (a, b) => a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());

// matched says in a sentence how label l was found for an address, in any of these spellings.
export function matched(l, addresses) {
  const listed = l.listed_address ?? "";
  const spelled = !listed || addresses.some(a => same(listed, a));
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

// states returns the state of each list behind an answer, with the names in sources.
export function states({data_freshness, caveats, as_of}, sources) {
  const known = new Map((sources ?? []).map(s => [s.id, s])), said = new Map((caveats ?? []).map(c => [c.source, c.caveat]));
  return Object.entries(data_freshness ?? {}).map(([id, f]) => state({...known.get(id), id, ...f}, said.get(id), as_of ? new Date(as_of) : clock()));
}

// limit is the age of a check beyond which a list is stale, as for the server without a
// limit of its own.
export const limit = 2 * DAY;

// state adds to a list its name, its short name, its age, one word for its condition, and
// what that means for an answer at the time now. said is the caveat of the server, if it has
// one.
export function state(s, said, now = clock()) {
  const name = s.name || s.id, official = ["US", "EU", "UK"].includes(s.jurisdiction);
  const age = s.age_seconds ?? (s.last_updated ? Math.max(0, (now - new Date(s.last_updated)) / 1000) : null);
  let word = "current", caveat = "";
  if (said === "partial" || s.partial || s.completeness === "partial") [word, caveat] = ["partial", "only a part is loaded"];
  else if (said === "missing" || (age === null && !s.completeness)) [word, caveat] = ["missing", "not loaded, so not searched"];
  else if (said === "reconstructed") [word, caveat] = [said, "put together from what is known of its past"];
  else if (said === "store") [word, caveat] = [said, "newer lists cannot be saved; what they add is found, what they drop still matches"];
  else if (age === null) [word, caveat] = ["stale", "not known when it was last checked"];
  else if (said === "stale" || age > limit && !s.final) [word, caveat] = ["stale", `last checked ${ago(age)}`];
  else if (said) [word, caveat] = [said, said === "old" ? `published ${s.published_at ? ago((now - new Date(s.published_at)) / 1000) : "long ago"}` : said];
  return {...s, name, short: official ? s.id.split("_")[0] : name, age, word, caveat};
}

// suppressed says what exceptions keep out of the score.
export const suppressed = list => (list ?? []).map(x =>
  `A match on ${x.source} (${x.source_ref}) does not count: ${[x.reason, x.author && `says ${x.author}`].filter(Boolean).join(", ") || "an exception"}` +
  `${x.expires_at ? `, until ${day(x.expires_at)}` : ""}.`);

// former says on which lists an account was.
export const former = list => (list ?? []).map(f =>
  `Formerly listed: ${[f.name || f.source_ref, f.source].filter(Boolean).join(", ")}${f.since ? `, since ${day(f.since)} at the latest` : ""}${f.until ? `, until ${day(f.until)}` : ""}. It is not scored.`);

// doubts has, for each doubt about what was entered, how a title ends, and a sentence.
export const doubts = {
  capitals: ["the address may be mistyped", "The capitals do not match the checksum of the address. Compare it with the original: one character may be wrong."],
  short: ["digits are missing", "Leading digits of the address are missing. Compare it with the original."],
  ambiguous: ["the chain is not clear", "It could be an address of several chains, and nothing says which. Choose the chain."],
  unscreenable: ["not every payee can be screened", "It also pays somebody whom no list can name, such as the payee of a Lightning invoice."],
  wrong_chain: ["another chain was chosen", "It is not an address of the chain that was chosen, but it is listed on the chain that is shown."],
  malformed: ["the text is not an address as it stands", "The text as it stands is not an address, but an address in it is listed. Compare it with the original."],
};

// doubt returns a sentence about a doubt.
export const doubt = d => doubts[d]?.[1] ?? `${d}.`;

// dates returns the known dates of label l, as terms. If added_at is only the
// date of the entity, that is not said of the address.
export function dates(l) {
  const added = day(l.added_at), entity = day(l.entity_listed_at), not = day(l.not_listed_on);
  const since = added && added !== entity && `since ${added} at the latest`;
  return [["Entity listed", entity], ["Address listed", [since, not && `not yet on ${not}`].filter(Boolean).join(", ")]];
}

// history returns the times when the lists had the account, as [time, words], the
// oldest first.
export function history(result, lists) {
  const on = source => lists.find(s => s.id === source)?.short ?? source, events = new Map();
  const add = (at, words) => day(at) && events.set(`${day(at)} ${words}`, [at, words]);
  for (const l of result.labels) {
    const of = l.match === "key" ? "another address of its key" : "the address";
    add(l.entity_listed_at, `${on(l.source)} listed ${l.name || "the party"}`);
    add(l.not_listed_on, `${on(l.source)} did not list ${of} yet`);
    if (day(l.added_at) !== day(l.entity_listed_at)) add(l.added_at, `${on(l.source)} listed ${of}, at the latest`);
  }
  for (const f of result.formerly ?? []) {
    add(f.since, `${on(f.source)} listed it as ${f.name || f.source_ref || ""}, at the latest`);
    add(f.until, `${on(f.source)} removed it`);
  }
  return [...events.values()].sort((a, b) => new Date(a[0]) - new Date(b[0]));
}

// asOf says of which day the lists of a result are, or "" for now.
export const asOf = result => day(result.as_of) && `as of ${day(result.as_of)}`;

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
      const at = p.retryAfter > 0 ? new Date(+clock() + p.retryAfter * 1000).toISOString() : "";
      return ["The quota of this key is used up", "The server screens nothing more for this key.", at ? `The quota renews on ${day(at)}. You can also use another key.` : "Use another key, or wait until the quota renews."];
    }
    case "rate_limited": return ["Too many requests at once", "Nothing was screened.", wait];
    case "sources_unavailable": return ["A required list is not loaded", "Without it, no address can be called clean, so the server gives no answer.", wait];
    case "sources_stale": return ["A required list is too old", "Without a current list, no address can be called clean, so the server gives no answer.", wait];
    case "past_unavailable": return ["The lists of that day are not available", p.detail, p.reason === "not_kept" ? "A server keeps the lists from its first refresh on, and knows the earlier past of some: choose a later day. Nothing was screened." : "Nothing was screened."];
    case "missing_field": return ["Not decided", p.detail, "Nothing was screened."];
    case "invalid_address":
      if (p.reason === "secret") return ["This looks like a private key", "It was removed from the field, and nothing was screened.", "Never enter one anywhere. If it is real, move what it controls."];
      if (p.reason === "several_accounts") return ["Not decided", p.detail, ""];
      // falls through
    case "unsupported_chain": return ["Not decided", p.detail, "Nothing was screened."];
    default: return ["The server could not answer", p.detail || "Nothing was screened.", wait];
  }
}
