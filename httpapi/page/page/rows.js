// The table of a job: a summary, a tally that filters, and the rows.

import {cells, columns} from "./columns.js";
import {h, name as isolated} from "./dom.js";
import {freshness, late} from "./judge.js";
import {shape} from "./chart.js";
import {fresh, head, heading, notes, past} from "./verdict.js";
import {asOf, count, doubt, plural, problem, span} from "./words.js";

const pageRows = 25;

// classes has the word and the shape of each class of rows, in the words of walletscreen screen,
// in the order in which the rows are shown.
export const classes = {
  CRITICAL: ["CRITICAL", "critical"],
  HIGH: ["HIGH", "high"],
  MEDIUM: ["MEDIUM", "medium"],
  LOW: ["LOW", "low"],
  UNDECIDED: ["UNDECIDED", "unknown"],
  CLEAN_NO_MATCH: ["CLEAN_NO_MATCH", "clean"],
  open: ["Not screened", "unknown"],
};
const hits = ["CRITICAL", "HIGH", "MEDIUM", "LOW"], ranks = Object.keys(classes);
const rank = r => ranks.indexOf(r.class ?? "open");
const are = n => (n === 1 ? "is" : "are");

// shown are the columns after level, why and address. why is the name, the doubt and the error: a
// row has one of them, or a listed row in doubt two.
const why = ["name", "doubt", "error"], shown = columns.filter(c => c !== "level" && !why.includes(c));

// A View shows a job.
export class View {
  constructor(job, sources, actions) {
    Object.assign(this, {job, sources, filter: "", page: 0});
    this.actions = actions; // {cancel, resume, download, print, printAll, receipt, open}
    this.top = h("div", {class: "summary"});
    this.bar = h("div", {class: "progress"});
    this.filters = h("div", {class: "tally", role: "group", "aria-label": "Show rows"});
    this.columns = h("tr", {});
    this.body = h("tbody", {});
    this.pages = h("div", {class: "line pages"});
    this.buttons = h("div", {class: "line actions"});
    this.node = h("article", {class: "panel verdict many"}, this.top, this.bar, this.buttons, this.filters,
      h("div", {class: "scroll", role: "region", "aria-label": "Rows", tabindex: "0"}, h("table", {class: "rows"}, h("caption", {class: "hidden"}, "Verdicts"), h("thead", {}, this.columns), this.body)),
      this.pages);
  }

  update() {
    const {job} = this, n = job.tally(), total = job.rows.length;
    this.lists = job.lists(this.sources);
    this.summary(n, total);
    const state = job.running ? "running" : n.open > 0 ? "stopped" : "done";
    this.node.dataset.state = state;
    if (job.running) {
      const rate = (job.done - job.before) / Math.max(1, Date.now() - job.started);
      const rest = rate > 0 ? Math.ceil((total - job.done) / rate / 1000) : 0;
      const text = h("label", {for: "progress"}, `${count(job.done)} of ${plural(total, "row")}`, job.waiting ? ` · ${job.waiting}` : rest > 1 ? ` · about ${span(rest)} left` : "");
      this.bar.replaceChildren(text, h("progress", {id: "progress", max: total, value: job.done}));
    } else this.bar.replaceChildren();
    if (this.shown !== state) {
      this.shown = state;
      this.showButtons(n);
      if (!job.running && !this.chosen) this.filter = "";
    }
    // Rows are in the order of the table while they change, and then by class.
    this.rows = job.running ? job.rows : [...job.rows].sort((a, b) => rank(a) - rank(b) || (b.result?.score ?? 0) - (a.result?.score ?? 0));
    this.showTally(n);
    this.showRows();
  }

  showButtons(n) {
    const a = this.actions, {running} = this.job, held = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(...[
      running && h("button", {type: "button", class: "quiet", onclick: a.cancel}, "Cancel"),
      !running && n.open > 0 && h("button", {type: "button", onclick: a.resume}, "Screen the remaining rows"),
      !running && h("button", {type: "button", class: n.open > 0 ? "quiet" : "", onclick: a.download}, "Download as CSV"),
      !running && h("button", {type: "button", class: "quiet", onclick: a.print}, "Print record"),
      !running && h("button", {type: "button", class: "quiet", onclick: a.printAll}, "Print every row"),
      !running && a.receipt(),
    ].filter(Boolean));
    if (held) this.buttons.firstChild?.focus(); // the button that had the focus is gone
  }

  // summary shows what must be read before any row.
  summary(n, total) {
    const {job} = this;
    const v = this.verdict = {fresh: this.lists.length > 0 ? freshness(this.lists, job.meta.as_of) : "", ...this.whole(n, total), when: asOf(job.meta)};
    if (v.when && v.shape === "clean") v.shape = "past";
    const stopped = !job.running && job.error && job.error.code !== "cancelled" ? problem(job.error) : null;
    const key = JSON.stringify([v, stopped]);
    if (this.said === key) return;
    this.said = key;
    const open = this.top.querySelector(".fresh")?.open;
    this.top.replaceChildren(...[
      stopped && h("div", {class: "notes stop", role: "note", "data-code": job.error.code}, h("p", {}, h("strong", {}, stopped[0] + ". "), stopped[1], " ", stopped[2])),
      past(v, job.meta.as_of), head(v.shape, heading(v), h("p", {class: "line-of"}, v.line), h("p", {class: "note"}, isolated(job.name))), notes(v), this.lists.length > 0 && fresh(v, this.lists)].filter(Boolean));
    if (open) this.top.querySelector(".fresh").open = true;
  }

  // whole returns the verdict on all rows together.
  whole(n, total) {
    const {job} = this, found = hits.filter(l => n[l] > 0), many = found.reduce((sum, l) => sum + n[l], 0), undecided = n.UNDECIDED ?? 0;
    const open = job.running ? 0 : n.open, asked = total - n.open - job.rows.filter(r => r.problem).length;
    const rest = [undecided > 0 && `${plural(undecided, "row")} ${are(undecided)} undecided`, open > 0 && `${plural(open, "row")} ${open === 1 ? "was" : "were"} not screened`].filter(Boolean);
    const line = rest.length > 0 ? `${rest.join(", and ")}: not clean.` : "";
    const held = job.rows.filter(r => r.result?.suppressed?.length > 0).length, once = job.rows.filter(r => r.result?.formerly?.length > 0).length;
    const all = [held > 0 && `In ${plural(held, "row")}, a match does not count because of an exception: see the column suppressed.`, once > 0 && `${plural(once, "row")} ${once === 1 ? "was" : "were"} listed before: see the column formerly.`].filter(Boolean);
    const said = {line, notes: all, lead: "Note:"}, weak = asked > 0 && late(this.lists);
    if (job.running) return {...said, title: "Screening …", shape: found.length > 0 ? classes[found[0]][1] : "unknown"};
    if (many > 0) return {...said, title: `${plural(many, "match", "matches")} in ${plural(total, "row")}`, shape: classes[found[0]][1]};
    if (asked === 0 && undecided === 0) return {...said, title: "Not screened", shape: "unknown", line: `None of the ${plural(total, "row")} was screened.`};
    if (undecided > 0 && !n.CLEAN_NO_MATCH) return {...said, title: "Not decided", shape: "unknown"};
    const but = undecided > 0 ? `${plural(undecided, "row")} ${are(undecided)} undecided` : open > 0 ? `${plural(open, "row")} ${open === 1 ? "was" : "were"} not screened` : weak || (held > 0 ? "a match does not count" : once > 0 ? `${plural(once, "row")} ${once === 1 ? "was" : "were"} listed before` : "");
    if (but) return {...said, title: `No match, but ${but}`, shape: "qualified", ...but === weak && {fresh: "Lists behind these verdicts"}, line: undecided + open > 0 ? line.replace(/.*: n/, "N") : line};
    return {...said, title: "No match", shape: "clean", line: `Nothing found for ${total === 1 ? "the row" : `any of the ${count(total)} rows`}.`};
  }

  // showTally shows how many rows each class has. Matches are chosen first, or else undecided rows.
  showTally(n) {
    const found = hits.filter(l => n[l] > 0), clean = late(this.lists) ? "qualified" : this.verdict.when ? "past" : "clean";
    const items = [["all", "All", this.job.rows.length, null], ...found.length > 1 ? [["hits", "Matches", found.reduce((sum, l) => sum + n[l], 0), null]] : [],
      ...ranks.filter(k => n[k] > 0).map(k => [k, classes[k][0], n[k], k === "CLEAN_NO_MATCH" ? clean : classes[k][1]])];
    if (!items.some(i => i[0] === this.filter)) this.filter = this.job.running ? "all" : found.length > 1 ? "hits" : found[0] ?? (n.UNDECIDED > 0 ? "UNDECIDED" : "all");
    const held = document.activeElement?.dataset?.filter;
    this.filters.replaceChildren(...items.map(([k, word, many, sign]) => h("button", {type: "button", class: "quiet", "data-filter": k, "aria-pressed": String(this.filter === k),
      onclick: () => { this.filter = this.chosen = k; this.page = 0; this.update(); }}, sign && shape(sign, 16), `${word} `, h("b", {}, count(many)))));
    if (held) this.filters.querySelector(`[data-filter="${held}"]`)?.focus();
  }

  showRows() {
    const of = this.filter === "all" ? ranks : this.filter === "hits" ? hits : [this.filter];
    const kept = this.filter === "all" ? this.rows : this.rows.filter(r => of.includes(r.class ?? "open"));
    const last = Math.max(0, Math.ceil(kept.length / pageRows) - 1);
    this.page = Math.min(this.page, last);
    const rows = kept.slice(this.page * pageRows, (this.page + 1) * pageRows);
    const used = shown.filter(c => of.some(k => this.job.used[k]?.has(c)));
    const key = [used, this.filter, this.page, ...rows.map(r => r.number + (r.class ?? ""))].join();
    if (this.rowsKey === key) return;
    this.rowsKey = key;
    const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    this.columns.replaceChildren(...["row", "level", "why", "address", ...used, "chain"].map(c => h("th", {scope: "col", "data-column": c}, c === "why" ? "name, doubt, error" : c)));
    this.body.replaceChildren(...rows.map(r => this.row(r, used)));
    if (held) this.body.querySelector(`[data-row="${held}"]`)?.focus();
    const go = d => () => { this.page += d; this.update(); this.node.querySelector(".rows").scrollIntoView({block: "nearest"}); };
    const at = document.activeElement?.dataset?.go;
    this.pages.replaceChildren(...last === 0 ? [] : [
      h("button", {type: "button", class: "quiet", "data-go": "back", disabled: this.page === 0, onclick: go(-1)}, "Previous"),
      h("span", {role: "status"}, `Page ${count(this.page + 1)} of ${count(last + 1)}`),
      h("button", {type: "button", class: "quiet", "data-go": "on", disabled: this.page === last, onclick: go(1)}, "Next")]);
    if (at) (this.pages.querySelector(`[data-go="${at}"]:enabled`) ?? this.pages.querySelector("button:enabled"))?.focus();
  }

  // row returns one line: what the program writes about the row, with the doubts and the error in sentences.
  row(r, used) {
    const k = r.class ?? "open", all = cells(r), [word, sign] = k === "open" ? ["Waiting", ""] : classes[k];
    const weak = k === "CLEAN_NO_MATCH" && late(this.lists) ? "qualified" : sign;
    const text = [sign && shape(weak, 18), word];
    const cell = c => (c === "doubt" ? (r.result?.doubts ?? []).map(doubt).join(" ") : c === "error" ? r.problem?.detail ?? "" : all[columns.indexOf(c)]);
    const reasons = why.map(cell).filter(Boolean);
    return h("tr", {"data-level": k},
      h("td", {"data-column": "row"}, count(r.number)),
      h("td", {"data-column": "level"}, r.class ? h("button", {type: "button", class: "open", "data-row": r.number, "aria-label": `Row ${r.number}: ${word}. Show the verdict`, onclick: () => this.actions.open(r)}, text) : h("span", {class: "open"}, text)),
      h("td", {"data-column": "why", title: reasons.join(" · ")}, reasons.map((t, i) => [i > 0 && " · ", isolated(t)])),
      h("th", {scope: "row", "data-column": "address"}, h("span", {class: "mono"}, isolated(r.text || "(empty)"))),
      used.map(c => h("td", {"data-column": c}, isolated(cell(c)))),
      h("td", {"data-column": "chain"}, r.result || r.given ? r.chain : ""));
  }
}
