// One verdict, or why there is none.

import {chainName, h, link, name, terms, time} from "./dom.js";
import {shape} from "./chart.js";
import {verdict} from "./judge.js";
import {dates, day, history, kind, limit, matched, moment, plural, problem, same, span, states} from "./words.js";

// notes returns the notes on a verdict: for a match, one line that opens. It
// returns false if there is nothing.
export const notes = v => v.notes.length > 0 && (v.match
  ? h("details", {class: "notes"}, h("summary", {}, v.lead), h("ul", {}, v.notes.map(c => h("li", {}, c))))
  : h("div", {class: "notes", role: "note"}, h("p", {}, h("strong", {}, v.lead)), h("ul", {}, v.notes.map(c => h("li", {}, c)))));

// fresh returns the one line about the age of the lists, which opens.
export const fresh = (v, lists) => h("details", {class: "fresh"}, h("summary", {}, v.fresh), listTable(lists));

// heading returns the title of verdict v, with the name apart from the words around it, and the
// day if it is not of now.
export const heading = ({title, heading: p, when}) => [p ? [p.what, p.name && [": ", name(p.name)], p.by && h("span", {class: "by"}, ` (${p.by})`)] : title, when && `, ${when}`];

// past says above a verdict that it is not of now. It returns false if it is.
export const past = ({when}, asOf) => Boolean(when) && h("p", {class: "asof", role: "note"}, h("strong", {}, "Not the verdict of today. "), "The lists are those of ", time(asOf, moment(asOf)), ".");

// head returns the sign, the title and a line.
export const head = (sign, title, ...more) => h("div", {class: "head"}, shape(sign),
  h("div", {}, h("h2", {tabindex: "-1"}, title), more));

function evidence(l, addresses, lists, first) {
  const list = lists.find(s => s.id === l.source);
  return h("li", {class: "label"},
    h("h3", {class: first && "hidden"}, name(l.name || l.source_ref || kind(l.label))),
    h("p", {}, matched(l, addresses)),
    terms(
      ["Why", !first && kind(l.label)],
      ["Reference", l.source_ref && (l.url ? link(l.url, l.source_ref, "official record") : l.source_ref)],
      ...dates(l),
      ["List", [list?.name ?? l.source, (list?.issuer ?? list?.jurisdiction) && h("span", {class: "soft"}, ` ${list.issuer ?? list.jurisdiction}`)]],
      ["Listed as", l.listed_address && !addresses.some(a => same(l.listed_address, a)) && h("span", {class: "mono"}, name(l.listed_address))]));
}

// listTable returns the lists behind a verdict, with their ages when it was given.
export const listTable = lists => h("table", {},
  h("caption", {class: "hidden"}, "Lists behind this verdict"),
  h("thead", {}, h("tr", {}, ["List", `Checked (limit ${span(limit)})`, "Published", "State"].map(t => h("th", {scope: "col"}, t)))),
  h("tbody", {}, lists.map(s => h("tr", {},
    h("th", {scope: "row"}, s.name),
    h("td", {}, s.final ? "final" : s.age === null ? (s.word === "missing" ? "never" : "unknown") : `${span(s.age)} before`),
    h("td", {}, day(s.published_at) || "unknown"),
    h("td", {}, s.caveat || (s.completeness === "assembled" ? "current, assembled" : s.word))))));

// mends returns what mends a text, from its diagnosis, or false.
const mends = wrong => wrong?.nodes.length > 0 && h("div", {class: "line mends"}, wrong.nodes);

// show returns the article for a result. asked is what the person entered, and wrong its diagnosis
// if it is not decided.
export function show(result, sources, asked, actions = [], wrong = null) {
  const lists = states(result, sources);
  const v = verdict(result, lists), events = history(result, lists), subject = v.open && asked || result.address;
  return h("article", {class: "panel verdict", "data-level": v.open ? "UNDECIDED" : result.level, "data-shape": v.shape},
    past(v, result.as_of),
    head(v.shape, heading(v), h("p", {class: "line-of"}, v.open && wrong?.text || v.line)),
    v.open && mends(wrong),
    h("p", {class: "subject"}, h("span", {class: `mono${subject.length > 66 ? " lengthy" : ""}`}, name(subject)), !v.open && h("span", {class: "tag"}, chainName(result.chain))),
    notes(v),
    h("p", {class: "next"}, h("b", {}, "Next: "), v.next),
    fresh(v, lists),
    result.labels.length > 0 && h("ol", {class: "labels", "aria-label": plural(result.labels.length, "match", "matches")},
      result.labels.map((l, i) => evidence(l, [asked || result.address, result.address], lists, i === 0))),
    actions.length > 0 && h("div", {class: "line actions"}, actions),
    terms(
      ["Entered as", asked && asked !== subject && h("span", {class: "mono"}, name(asked))],
      ["Level", !v.open && `${result.level}, ${result.score} of 100`],
      ["Scoring", result.scoring_version],
      ["Screened", result.screened_at && time(result.screened_at, moment(result.screened_at))],
      ["Lists as of", result.as_of && time(result.as_of, moment(result.as_of))],
      ["Snapshot", result.snapshot && h("span", {class: "mono", title: result.snapshot}, result.snapshot.slice(0, 16))]),
    events.length > 0 && h("details", {class: "history"}, h("summary", {}, `History of the account (${plural(events.length, "date")})`),
      h("ol", {}, events.map(([at, words]) => h("li", {}, time(at, day(at)), h("span", {}, name(words)))))),
    !v.open && h("details", {}, h("summary", {}, "Answer as JSON"), h("pre", {}, JSON.stringify(result, null, 2))),
    h("p", {class: "note"}, result._disclaimer));
}

// fail returns the article for a problem: there is no verdict, and it says so. wrong is the
// diagnosis of what was entered.
export function fail(p, actions = [], wrong = null) {
  const [title, why, what] = problem(p);
  return h("article", {class: "panel verdict", "data-shape": "unknown", "data-code": p.code},
    head("unknown", title, h("p", {class: "line-of"}, wrong?.text ?? why)), mends(wrong),
    what && h("p", {}, what), p.suggested_chain && h("p", {}, `The chain that fits is ${chainName(p.suggested_chain)}.`),
    p.request_id && h("p", {class: "note"}, `Request ${p.request_id}, code ${p.code}`),
    actions.length > 0 && h("div", {class: "line actions"}, actions));
}
