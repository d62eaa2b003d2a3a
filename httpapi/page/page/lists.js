// The lists: their freshness, their sizes, and what changed.

import {now} from "./clock.js";
import {byID, h, name, time} from "./dom.js";
import {shape, sizes, timeline} from "./chart.js";
import {DAY, ago, count, day, kind, moment, plural, state} from "./words.js";

const recent = 4; // changes shown at once
const signs = {current: "clean", stale: "high", old: "high", partial: "qualified", missing: "unknown"};
const words = {current: "Current", stale: "Stale", old: "Old", partial: "Only a part", missing: "Not loaded"};

// showLists shows sources, with a size chart from changes. open is called with the list that
// the person wants to read.
export function showLists(sources, changes, open) {
  const all = sources.map(s => state(s));
  const bad = all.filter(s => s.caveat);
  byID("health").replaceChildren(shape(all.length === 0 || bad.length > 0 ? "qualified" : "clean", 16),
    all.length === 0 ? "No lists" : bad.length > 0 ? h("span", {}, `${bad.length} of ${all.length}`, h("span", {class: "wide"}, all.length === 1 ? " list" : " lists"), " not current") : `${plural(all.length, "list")} current`);
  byID("lists-body").replaceChildren(
    all.length === 0 ? h("p", {}, "No list is configured. No address can be called clean.") : h("ul", {class: "lists"}, all.map(s => one(s, changes, open))),
    h("p", {class: "note legend"}, ["checked", "published", "last 48 hours, the limit"].map(t => h("span", {}, h("i", {class: t.split(" ")[0], "aria-hidden": "true"}), t, " "))));
}

function one(s, changes, open) {
  const points = changes.filter(c => c.source === s.id && c.event === "accepted").map(c => ({time: c.time, addresses: c.addresses})).reverse();
  if (s.last_updated && points.length > 1) points.push({time: s.last_updated, addresses: s.address_count});
  const chart = sizes(s.name, points);
  return h("li", {"data-state": s.word},
    h("h3", {}, s.name),
    h("p", {class: "note state"}, shape(signs[s.word], 16), h("b", {}, words[s.word]), ["", s.issuer ?? s.jurisdiction, plural(s.address_count, "address", "addresses"), s.completeness === "assembled" && "assembled from extracts", s.required === false && "optional"].filter(x => x !== false).join(" · ")),
    timeline(s),
    h("p", {class: "note"}, s.age === null ? (s.word === "missing" ? "Never checked" : "Last check unknown") : ["Checked ", time(s.last_updated, ago(s.age))], s.published_at && [" · published ", time(s.published_at, day(s.published_at)), s.final && ", final"]),
    s.address_count > 0 && h("button", {type: "button", class: "quiet browse", "aria-label": `Browse ${s.name}`, onclick: () => open(s)}, "Browse"),
    chart && [chart, h("p", {class: "note"}, `${count(points[0].addresses)} addresses on ${day(points[0].time)}, now ${count(points.at(-1).addresses)}`)]);
}

// showChanges shows what refreshes added, removed and refused, the newest first.
export function showChanges(changes, sources) {
  const names = new Map(sources.map(s => [s.id, s.name]));
  const list = some => h("ol", {class: "changes"}, some.map(c => h("li", {"data-event": c.event},
    h("p", {}, said(c)), h("p", {class: "note"}, names.get(c.source) ?? c.source, " · ", h("time", {datetime: c.time, title: moment(c.time)}, day(c.time))), entries(c))));
  byID("changes-body").replaceChildren(...changes.length === 0
    ? [h("p", {class: "note"}, "No change is on record yet. Changes appear here after the next refresh that finds any.")]
    : [week(changes, names), list(changes.slice(0, recent)), changes.length > recent ? h("details", {class: "earlier"}, h("summary", {}, "Earlier"), list(changes.slice(recent))) : ""]);
}

// week says what the last seven days changed on each list.
function week(changes, names) {
  const since = now() - 7 * DAY * 1000, sum = new Map();
  for (const c of changes) {
    if (c.event !== "accepted" || new Date(c.time) < since || first(c)) continue;
    const [added, removed] = sum.get(c.source) ?? [0, 0];
    sum.set(c.source, [added + c.added, removed + c.removed]);
  }
  const parts = [...sum].map(([id, [added, removed]]) => `${names.get(id) ?? id}: ${count(added)} added, ${count(removed)} removed`);
  return h("p", {class: "note week"}, h("b", {}, "Last 7 days: "), parts.length > 0 ? parts.join("; ") + "." : "no change.");
}

// first reports whether a change is the first load of a list: everything on it was added.
const first = c => c.removed === 0 && c.added >= c.addresses;

function said(c) {
  if (c.event === "refused") return `A new version was refused: ${c.reason || "it is not plausible"}. The version before it stays in use.`;
  const parts = first(c) ? [] : [c.added && `${count(c.added)} added`, c.removed && `${count(c.removed)} removed`].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : `Loaded with ${plural(c.addresses, "address", "addresses")}`;
}

function entries(c) {
  const rows = [...(c.added_entries ?? []).map(e => ["Added", e]), ...(c.removed_entries ?? []).map(e => ["Removed", e])];
  if (rows.length === 0) return null;
  return h("details", {}, h("summary", {}, c.truncated ? `The first ${rows.length}` : plural(rows.length, "entry", "entries")),
    h("ul", {}, rows.map(([what, e]) => h("li", {}, `${what}: `, h("span", {class: "mono"}, name(e.listed_address)), " ", h("span", {class: "soft"}, name([e.name, e.source_ref, e.label && kind(e.label)].filter(Boolean).join(" · ")))))));
}

// failLists says that the state of the lists is not known.
export function failLists(text) {
  byID("health").replaceChildren(shape("unknown", 16), "Lists unknown");
  for (const id of ["lists-body", "changes-body"]) byID(id).replaceChildren(h("p", {class: "note"}, text));
}
