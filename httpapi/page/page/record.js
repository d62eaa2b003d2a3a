// The record that is printed: one page, of A4 or Letter.

import {now} from "./clock.js";
import {byID, chainName, h, name, terms} from "./dom.js";
import {shape} from "./chart.js";
import {late, verdict} from "./judge.js";
import {classes} from "./rows.js";
import {heading, listTable, notes, past} from "./verdict.js";
import {count, dates, kind, matched, moment, plural, states} from "./words.js";

const maxLabels = 3, maxRows = 8, maxLists = 14, maxNotes = 5; // what fits one page

const cut = (list, most, what) => [list.slice(0, most), list.length > most ? h("p", {}, `and ${plural(list.length - most, ...what)} more`) : null];

function sheet(v, subject, middle, lists, meta) {
  const [some, more] = cut([...lists.filter(s => s.caveat), ...lists.filter(s => !s.caveat)], maxLists, ["list"]);
  const [said, unsaid] = cut(v.notes, maxNotes, ["note"]);
  byID("record").replaceChildren(...[
    h("header", {}, h("p", {class: "brand"}, "Walletscreen"), h("p", {}, "Screening record")),
    past(v, meta.as_of),
    h("div", {class: "head"}, shape(v.shape, 40), h("div", {}, h("p", {class: "title"}, heading(v)), h("p", {}, v.line))),
    notes({...v, notes: said, match: false}), unsaid,
    subject, middle,
    h("h2", {}, ["Lists", late(lists) && `: ${late(lists)}`]), listTable(some), more,
    terms(["Screened", moment(meta.screened_at)], ["Lists as of", moment(meta.as_of)], ["Snapshot", h("span", {class: "mono"}, meta.snapshot || "not given")], ["Scoring", meta.scoring_version], ["Server", location.origin], ["Printed", moment(now().toISOString())]),
    h("p", {class: "note"}, meta._disclaimer)].filter(Boolean));
  fit(byID("record"));
}

const room = 244 / 25.4 * 96; // CSS pixels: a little less than Letter, which is lower than A4, within its margins

// fit makes the letters small enough for one page.
function fit(record) {
  record.classList.add("measure");
  for (let size = 9.5; size > 5; size -= 0.25) {
    record.style.setProperty("--size", `${size}pt`);
    if (record.scrollHeight <= room) break;
  }
  record.classList.remove("measure");
}

const clip = (text, most = 90) => (text && text.length > most ? text.slice(0, most) + "…" : text);

// recordOne prepares the record of one result.
export function recordOne(result, sources, asked, wrong = null) {
  const lists = states(result, sources), v = verdict(result, lists);
  const [labels, more] = cut(result.labels, maxLabels, ["match", "matches"]);
  sheet({...v, line: v.open && wrong?.text || v.line},
    terms(["Address", !v.open && h("span", {class: "mono"}, result.address)], ["Entered as", (v.open || asked !== result.address) && h("span", {class: "mono"}, name(clip(asked)))], ["Chain", !v.open && chainName(result.chain)], ["Level", !v.open && `${result.level}, score ${result.score} of 100`]),
    labels.length > 0 && h("div", {}, h("h2", {}, plural(result.labels.length, "match", "matches")), h("ol", {class: "labels"}, labels.map(l => h("li", {},
      h("p", {}, h("strong", {}, name(clip(l.name || l.source_ref || ""))), ` · ${kind(l.label)} · ${l.source} · ${clip(l.source_ref, 40)}`,
        dates(l).filter(d => d[1]).map(([what, when]) => ` · ${what.toLowerCase()}: ${when}`)),
      h("p", {}, clip(matched(l, [asked || result.address, result.address]), 260)), l.url && h("p", {class: "mono"}, clip(l.url))))), more),
    lists, result);
}

// recordMany prepares the record of a job.
export function recordMany(view) {
  const {job} = view, n = job.tally();
  const worst = job.rows.filter(r => r.result?.labels.length > 0).sort((a, b) => b.result.score - a.result.score);
  const [some, more] = cut(worst, maxRows, ["row"]);
  sheet(view.verdict,
    terms(["Input", clip(job.name)], ["Rows", count(job.rows.length)], ["SHA-256", job.table.hash && h("span", {class: "mono"}, job.table.hash)], ...Object.keys(classes).filter(k => n[k] > 0).map(k => [classes[k][0], count(n[k])]),
      ["Snapshots", job.snapshots.size > 1 && `${job.snapshots.size}: the lists changed during the run; the last one is below`]),
    some.length > 0 && h("div", {}, h("h2", {}, "Highest first"), h("ol", {class: "labels"}, some.map(r => h("li", {}, `Row ${count(r.number)}: `, h("span", {class: "mono"}, clip(r.result.address, 70)), ` · ${r.class} · `, name(clip(r.result.labels[0].name || r.result.labels[0].source_ref || "", 40))))), more),
    view.lists, job.meta);
}

// recordAll prepares the record of every row of a job, on as many pages as it takes.
export function recordAll(view) {
  recordMany(view);
  const cell = t => h("td", {}, t);
  byID("record").append(h("h2", {}, "Every row"), h("table", {class: "every"},
    h("thead", {}, h("tr", {}, ["Row", "Address", "Chain", "Verdict"].map(t => h("th", {scope: "col"}, t)))),
    h("tbody", {}, view.job.rows.map(r => h("tr", {}, cell(count(r.number)), h("td", {class: "mono"}, name(clip(r.text || "(empty)"))), cell(r.chain),
      cell(r.result ? [r.class, ...r.result.labels.slice(0, 1).map(l => [" · ", name(clip(l.name || l.source_ref || "", 60)), ` · ${l.source} · ${clip(l.source_ref ?? "", 40)}`]), (r.result.doubts ?? []).map(d => ` · ${d}`)]
        : `${r.class ? "UNDECIDED · " : ""}${clip(r.problem?.detail ?? "not screened", 120)}`))))));
}

export const forget = () => byID("record").replaceChildren();
