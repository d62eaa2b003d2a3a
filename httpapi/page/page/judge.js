// What a result says in words.

import {and, asOf, count, doubts, former, kind, levels, plural, suppressed} from "./words.js";

// late says which of the lists behind an answer are not current, or not whole, or "".
export function late(lists) {
  const bad = lists.filter(s => s.caveat);
  if (lists.length === 0) return "no list was searched";
  if (bad.length > 0 && bad.every(s => s.word === "store")) return "newer lists cannot be saved";
  if (bad.length > 1) return `${bad.length} of ${lists.length} lists are not current`;
  return bad.length === 0 ? "" : `${bad[0].short} is ${bad[0].word === "missing" ? "not loaded" : bad[0].word === "partial" ? "incomplete" : bad[0].word === "reconstructed" ? "put together from its past" : "not current"}`;
}

// freshness says how old the lists behind an answer are, in the one line that tells it.
export function freshness(lists, past) {
  const bad = late(lists), final = lists.filter(s => s.final).length, oldest = Math.max(0, ...lists.filter(s => !s.final).map(s => s.age)); // each has one: a list without is late
  if (bad) return `${bad.charAt(0).toUpperCase()}${bad.slice(1)}`;
  if (final === lists.length) return `${plural(final, "list")}, final`;
  return `${plural(lists.length, "list")}, ${final > 0 ? `${final} final, the other${lists.length - final > 1 ? "s" : ""} ` : lists.length === 1 ? "" : "each "}checked in the ${past ? "" : "last "}${oldest < 3600 ? "hour" : `${count(Math.ceil(oldest / 3600))} hours`}${past ? " before" : ""}`;
}

// verdict returns what a result says: the title (heading has its parts, the name apart), when it
// held if that is not now, the shape, a line, what to do next, notes with a sentence that leads
// them, and the freshness of the lists. It is open if it is in doubt what was asked: then it has no
// level. Only a result without a match, a note and a late list is an all-clear, and only if it is
// of now.
export function verdict(result, lists) {
  const v = {fresh: freshness(lists, result.as_of), ...judge(result, lists)}, when = asOf(result);
  return when ? {...v, when, shape: v.shape === "clean" ? "past" : v.shape, next: v.open ? v.next : "This was the verdict then. Before you act today, screen with the lists of now."} : v;
}

function judge(result, lists) {
  const match = result.labels.length > 0 || result.level !== "CLEAN_NO_MATCH";
  // That other chains have another account of this text is no doubt about a listing.
  const unsure = (result.doubts ?? []).filter(d => !match || d !== "ambiguous").map(d => doubts[d] ?? ["it is in doubt", `${d}.`]);
  const held = suppressed(result.suppressed), once = former(result.formerly), weak = late(lists);
  if (match) return hit(result, lists, [...unsure.map(d => d[0]), held.length > 0 && "another match does not count", once.length > 0 && "formerly listed elsewhere"].filter(Boolean), [...unsure.map(d => d[1]), ...held, ...once]);
  const notes = [...held, ...once], all = `any of the ${lists.length} lists`, good = lists.filter(s => !s.caveat || s.word === "store").length;
  if (unsure.length > 0) {
    return {title: "Not decided", open: true, shape: "unknown", line: unsure.map(d => d[1]).join(" "), next: (result.doubts ?? []).every(d => d === "ambiguous") ? "Ask on which chain the address is, and choose it." : "Compare the address with its original, and screen it again.", notes, lead: "Besides:"};
  }
  const but = weak || (held.length > 0 ? "a match does not count" : once.length > 0 ? "it was listed before" : result.all_clear === false ? "the server does not call it all clear" : "");
  if (but) {
    return {title: `No match, but ${but}`, shape: "qualified", fresh: weak ? "Lists behind this verdict" : freshness(lists, result.as_of),
      line: good === 0 ? "No complete and current list was searched." : weak ? `Not found on the ${plural(good, "list")} that ${good === 1 ? "is" : "are"} complete and current.` : `Not found on ${lists.length === 1 ? "the one list" : all}.`,
      next: weak ? "Refresh the lists, and screen it again, before you rely on this." : "Read the reason before you rely on this.", notes, lead: "This is not an all-clear."};
  }
  return {title: "No match", shape: "clean", line: `Not found on ${lists.length === 1 ? "the one list" : all}.`, next: "Nothing is listed today. Keep the record, and screen again when the lists change.", notes, lead: ""};
}

// hit returns what a result with a match says. leads are the short forms of the notes.
function hit(result, lists, leads, notes) {
  const [risk, shape] = levels[result.level] ?? [kind(result.level), "unknown"];
  const l = result.labels[0] ?? {label: result.level}, name = l.name || l.source_ref || "";
  const on = labels => [...new Set(labels.map(x => lists.find(s => s.id === x.source)?.short ?? x.source))];
  const by = on(result.labels.filter(x => x.label === l.label)), also = on(result.labels).filter(x => !by.includes(x));
  const what = l.match === "key" ? `Same key as ${kind(l.label).toLowerCase()}` : kind(l.label);
  return {title: `${what}${name && `: ${name}`}${by.length > 0 ? ` (${by.join(", ")})` : ""}`, heading: {what, name, by: by.join(", ")}, shape, match: true,
    line: `${risk}, score ${result.score} of 100.${also.length > 0 ? ` Also on ${and(also)}.` : ""}`,
    next: ["SANCTIONED", "TERRORIST_FINANCING", "BLOCKED"].includes(l.label) ? "Hold the payment, compare the official record, and follow your rules for a hit." : "Find out how your customer is connected with it before you decide.",
    notes, lead: `Note: ${leads.join("; ")}`};
}
