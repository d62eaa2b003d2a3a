// Many addresses: a job screens rows in batches, and a view shows them.

import {Problem, batch, newName, resets} from "./api.js";
import {inert, write} from "./csv.js";
import {h, name as isolated} from "./dom.js";
import {shape} from "./chart.js";
import {caveats, head, heading, past} from "./verdict.js";
import {asOf, count, kind, levels, or, plural, problem, span, states, verdict} from "./words.js";

const batchRows = 250, batchBytes = 400 << 10, longest = 1024, tries = 5, pageRows = 25;
const passing = new Set(["rate_limited", "overloaded", "timeout", "request_timeout", "keys_unavailable", "quota_unavailable", "audit_unavailable"]);

// A Job is rows to screen with the lists of day at, or of now if that is "". rows are {text,
// given}: an address, and its chain or "".
export class Job {
  constructor(name, rows, at, table) {
    this.name = name;
    this.rows = rows;
    this.at = at;
    this.table = table; // the table of the file, to write it with results
    this.freshness = {};
    this.snapshots = new Set();
    this.meta = {};
    this.error = null; // why the job stopped early
    this.running = false;
    this.done = 0;
    this.from = 0; // the rows before it have an outcome
    this.pending = null;
    for (const r of rows) {
      r.chain = r.given; // without one, the server finds it
      if (r.text === "") this.settle(r, {code: "missing_field", detail: "The row has no address."});
      else if (r.text.length > longest) this.settle(r, {code: "invalid_address", detail: "The text is longer than any address."});
    }
  }

  settle(row, outcome) {
    row.level = outcome.level === "CLEAN_NO_MATCH" && outcome.doubts?.length > 0 ? "DOUBT" : outcome.level ?? "";
    if (row.level) row.result = outcome;
    else row.problem = outcome;
    if (outcome.reason === "secret") row.text = "(withheld: a private key)", row.secret = true;
    this.done++;
  }

  // run screens the rows that have no outcome yet. It calls each after every batch.
  async run(signal, each) {
    this.error = null;
    this.running = true;
    this.started = Date.now();
    this.before = this.done;
    try {
      for (;;) {
        this.pending ??= {items: this.next(), name: newName()}; // a batch that was cancelled is repeated
        if (this.pending.items.length === 0) break;
        await this.send(this.pending, signal, each);
        each();
      }
      this.pending = null;
    } catch (e) {
      this.error = e instanceof Problem ? e : new Problem("internal", String(e));
    }
    this.running = false;
    each();
  }

  // next returns the next questions, each once, with the rows that ask it.
  next() {
    const items = new Map();
    let bytes = 0;
    while (this.from < this.rows.length && (this.rows[this.from].result || this.rows[this.from].problem)) this.from++;
    for (let i = this.from; i < this.rows.length; i++) {
      const r = this.rows[i];
      if (r.result || r.problem) continue;
      const id = r.chain + "\0" + r.text;
      if (items.has(id)) {
        items.get(id).push(r);
        continue;
      }
      bytes += 3 * (r.text.length + r.chain.length) + 40;
      if (items.size === batchRows || bytes > batchBytes) break;
      items.set(id, [r]);
    }
    return [...items.values()];
  }

  async send({items, name}, signal, each) {
    const answer = await this.ask(items.map(([r]) => ({address: r.text, ...(r.chain && {chain: r.chain})})), name, signal, each);
    this.pending = null;
    this.freshness = {...this.freshness, ...answer.data_freshness};
    this.caveats = answer.caveats;
    if (answer.snapshot) this.snapshots.add(answer.snapshot);
    this.meta = {screened_at: answer.screened_at, as_of: answer.as_of, scoring_version: answer.scoring_version, snapshot: answer.snapshot, _disclaimer: answer._disclaimer};
    const quota = answer.results.find(o => o.code === "quota_exceeded");
    for (const [i, o] of answer.results.entries()) {
      if (o.code === "quota_exceeded") continue;
      const [first] = items[i];
      // A chain that is given as a ticker is replaced by the one that the server names.
      if (o.reason === "ticker" && o.suggested_chain && !first.again) {
        for (const r of items[i]) [r.chain, r.again] = [o.suggested_chain, true];
        continue;
      }
      const outcome = o.level ? {...o, ...this.meta, data_freshness: answer.data_freshness} : o;
      for (const r of items[i]) {
        r.chain ||= o.chain ?? "";
        this.settle(r, outcome);
      }
    }
    if (quota) throw new Problem("quota_exceeded", quota.detail, {retryAfter: resets});
  }

  // ask repeats a batch that failed for a reason that passes.
  async ask(items, name, signal, each) {
    for (let i = 1; ; i++) {
      try {
        return await batch(items, this.at, name, signal);
      } catch (p) {
        if (!passing.has(p.code) || i === tries) throw p;
        const seconds = Math.min(p.retryAfter || 2 ** i, 60);
        this.waiting = `The server asks to wait ${span(seconds)}.`;
        each();
        await new Promise(done => {
          const t = setTimeout(done, seconds * 1000);
          signal.addEventListener("abort", () => { clearTimeout(t); done(); }, {once: true});
        });
        this.waiting = "";
        if (signal.aborted) throw new Problem("cancelled", "Not screened: cancelled.");
      }
    }
  }

  // tally counts the rows by level. DOUBT: no match, but in doubt; "": no answer; "open": not asked yet.
  tally() {
    const n = {"": 0, open: 0};
    for (const r of this.rows) {
      const k = r.result ? r.level : r.problem ? "" : "open";
      n[k] = (n[k] ?? 0) + 1;
    }
    return n;
  }

  lists(sources) { return states({data_freshness: this.freshness, caveats: this.caveats, as_of: this.meta.as_of}, sources); }

  // csv returns the table with what was found: one record for each row, in order.
  csv(sources) {
    const lists = this.lists(sources), t = this.table;
    const columns = ["level", "score", "match", "source", "source_ref", "name", "listed_address", "labels", "doubt", "error", "caveat", "screened_chain", ...this.at ? ["as_of"] : []];
    const records = t.header ? [[...pad(t.records[0], t.width), ...columns]] : [];
    this.rows.forEach((r, i) => {
      const input = pad(t.records[i + (t.header ? 1 : 0)], t.width);
      if (r.secret) input[t.addresses] = r.text;
      records.push([...input, ...[...this.outcome(r, lists), ...this.at ? [r.result?.as_of] : []].map(c => inert(String(c ?? "")))]);
    });
    return write(records, t.delimiter);
  }

  outcome(r, lists) {
    if (!r.result) return ["", "", "", "", "", "", "", "", "", r.problem?.detail ?? "not screened", "", r.problem ? r.chain : ""];
    const l = r.result.labels[0] ?? {}, v = verdict(r.result, lists);
    const doubt = r.level === "DOUBT"; // a doubtful row has a level only if it is listed
    return [doubt ? "" : r.level, doubt ? "" : r.result.score, l.match, l.source, l.source_ref, l.name, l.listed_address, r.result.labels.length, (r.result.doubts ?? []).join(" "), "",
      v.caveats.length > 0 ? [v.lead, ...v.caveats].join(" ") : "", r.chain];
  }
}

const pad = (record, width) => [...record, ...Array(width - record.length).fill("")];

const order = [...Object.keys(levels), "DOUBT", "", "open"];

// A View shows a job: what stands above all verdicts, a tally that filters, and a table.
export class View {
  constructor(job, sources, actions) {
    Object.assign(this, {job, sources, filter: "all", page: 0});
    this.actions = actions; // {cancel, resume, download, print, open}
    this.top = h("div", {class: "summary"});
    this.bar = h("div", {class: "progress"});
    this.filters = h("div", {class: "tally", role: "group", "aria-label": "Show rows"});
    this.body = h("tbody", {});
    this.pages = h("div", {class: "line pages"});
    this.buttons = h("div", {class: "line actions"});
    this.node = h("article", {class: "panel verdict many"}, this.top, this.bar, this.buttons, this.filters,
      h("table", {class: "rows"}, h("caption", {class: "hidden"}, "Verdicts"),
        h("thead", {}, h("tr", {}, h("th", {scope: "col", class: "number"}, "Row"), h("th", {scope: "col"}, "Verdict"), h("th", {scope: "col"}, "Address"), h("th", {scope: "col", class: "chain"}, "Chain"))), this.body),
      this.pages);
  }

  update() {
    const {job} = this, n = job.tally(), total = job.rows.length;
    this.lists = job.lists(this.sources);
    this.summary(n, total);
    this.node.dataset.state = job.running ? "running" : n.open > 0 ? "stopped" : "done";
    if (job.running) {
      const rate = (job.done - job.before) / Math.max(1, Date.now() - job.started);
      const rest = rate > 0 ? Math.ceil((total - job.done) / rate / 1000) : 0;
      const text = h("label", {for: "progress"}, `${count(job.done)} of ${plural(total, "row")}`, job.waiting ? ` · ${job.waiting}` : rest > 1 ? ` · about ${span(rest)} left` : "");
      this.bar.replaceChildren(text, h("progress", {id: "progress", max: total, value: job.done}));
    } else this.bar.replaceChildren();
    const a = this.actions;
    const state = job.running ? "running" : n.open > 0 ? "open" : "done";
    if (this.shown !== state) {
      this.shown = state;
      const held = this.buttons.contains(document.activeElement);
      this.buttons.replaceChildren(...[
        job.running && h("button", {type: "button", class: "quiet", onclick: a.cancel}, "Cancel"),
        !job.running && n.open > 0 && h("button", {type: "button", onclick: a.resume}, "Screen the remaining rows"),
        !job.running && h("button", {type: "button", class: n.open > 0 ? "quiet" : "", onclick: a.download}, "Download as CSV"),
        !job.running && h("button", {type: "button", class: "quiet", onclick: a.print}, "Print record"),
        !job.running && h("button", {type: "button", class: "quiet", onclick: a.printAll}, "Print every row"),
      ].filter(Boolean));
      if (held) this.buttons.firstChild?.focus(); // the button that had the focus is gone
    }
    this.showTally(n);
    this.showRows();
  }

  // summary shows what must be read before any verdict, then the highest level.
  summary(n, total) {
    const {job} = this;
    const worst = Object.keys(levels).find(l => n[l] > 0);
    const v = this.verdict = {...this.whole(n, total, worst), when: asOf(job.meta)};
    if (v.when && v.shape === "clean") v.shape = "past";
    const stopped = !job.running && job.error && job.error.code !== "cancelled" ? problem(job.error) : null;
    const key = JSON.stringify([v, stopped]);
    if (this.said === key) return;
    this.said = key;
    this.top.replaceChildren(...[
      stopped && h("div", {class: "caveats", role: "note", "data-code": job.error.code}, h("p", {}, h("strong", {}, stopped[0] + ". "), stopped[1], " ", stopped[2])),
      past(v, job.meta.as_of), caveats(v), head(v.shape, heading(v), h("p", {class: "line-of"}, v.line), h("p", {class: "note"}, job.name))].filter(Boolean));
  }

  // whole returns the verdict on all rows together.
  whole(n, total, worst) {
    const {job} = this;
    const missing = [];
    if (n[""] > 0) missing.push(`${plural(n[""], "row")} could not be screened. ${n[""] === 1 ? "It is" : "They are"} not clean.`);
    if (!job.running && n.open > 0) missing.push(`${plural(n.open, "row")} ${n.open === 1 ? "was" : "were"} not screened. ${n.open === 1 ? "It is" : "They are"} not clean.`);
    const lists = job.done > n[""] ? this.lists.filter(s => s.caveat).map(s => `${s.short}: ${s.caveat}.`) : [];
    if (n.DOUBT > 0) missing.push(`In ${plural(n.DOUBT, "row")}, it is in doubt which address is meant. ${n.DOUBT === 1 ? "It is" : "They are"} not clean.`);
    const held = job.rows.filter(r => r.result?.suppressed?.length > 0).length;
    if (held > 0) lists.push(`In ${plural(held, "row")}, a match does not count because of an exception.`);
    const once = job.rows.filter(r => r.result?.formerly?.length > 0).length;
    if (once > 0) lists.push(`${plural(once, "row")} ${once === 1 ? "was" : "were"} listed before.`);
    const all = [...missing, ...lists];
    if (job.running) return {title: "Screening …", shape: worst && worst !== "CLEAN_NO_MATCH" ? levels[worst][1] : "qualified", line: "", caveats: all, lead: "So far:"};
    if (worst && worst !== "CLEAN_NO_MATCH") {
      const found = Object.keys(levels).filter(l => l !== "CLEAN_NO_MATCH" && n[l] > 0);
      const hits = found.reduce((sum, l) => sum + n[l], 0);
      return {title: `${plural(hits, "match", "matches")} in ${plural(total, "row")}`, shape: levels[worst][1], line: found.map(l => `${count(n[l])} ${levels[l][0].toLowerCase()}`).join(", ") + ".", caveats: all, lead: "There may be more than this."};
    }
    if (!worst && !n.DOUBT) return {title: "No answer", shape: "unknown", line: `None of the ${plural(total, "row")} was screened.`, caveats: all, lead: "Nothing can be called clean."};
    if (all.length > 0) return {title: "No match, but not an all-clear", shape: "qualified", line: `Nothing found for the ${plural((n.CLEAN_NO_MATCH ?? 0) + (n.DOUBT ?? 0), "row")} screened.`, caveats: all, lead: "This is not an all-clear."};
    return {title: "No match", shape: "clean", line: `Nothing found for ${total === 1 ? "the row" : `any of the ${count(total)} rows`}, on ${plural(this.lists.length, "current list")}.`, caveats: all, lead: ""};
  }

  showTally(n) {
    const clean = this.lists.some(s => s.caveat) ? "qualified" : this.verdict.when ? "past" : "clean";
    const items = [["all", "All", this.job.rows.length, null], ...order.filter(k => n[k] > 0).map(k =>
      [k, {"": "No answer", open: "Not screened", DOUBT: "In doubt"}[k] ?? levels[k][0], n[k], !levels[k] ? (k === "DOUBT" ? "qualified" : "unknown") : k === "CLEAN_NO_MATCH" ? clean : levels[k][1]])];
    if (!items.some(i => i[0] === this.filter)) this.filter = "all";
    const held = document.activeElement?.dataset?.filter;
    this.filters.replaceChildren(...items.map(([k, word, many, sign]) => h("button", {type: "button", class: "quiet", "data-filter": k || "none", "aria-pressed": String(this.filter === k),
      onclick: () => { this.filter = k; this.page = 0; this.update(); }}, sign && shape(sign, 16), `${word} `, h("b", {}, count(many)))));
    if (held) this.filters.querySelector(`[data-filter="${held}"]`)?.focus();
  }

  showRows() {
    const {rows} = this.job;
    const kept = this.filter === "all" ? rows : rows.filter(r => (r.result ? r.level : r.problem ? "" : "open") === this.filter);
    const last = Math.max(0, Math.ceil(kept.length / pageRows) - 1);
    this.page = Math.min(this.page, last);
    const shown = kept.slice(this.page * pageRows, (this.page + 1) * pageRows);
    const key = shown.map(r => (r.result ? r.level : r.problem ? "x" : "o")).join() + this.filter + this.page + this.lists.map(s => s.word);
    if (this.rowsKey === key) return;
    this.rowsKey = key;
    const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    this.body.replaceChildren(...shown.map(r => this.row(r)));
    if (held) this.body.querySelector(`[data-row="${held}"]`)?.focus();
    const go = d => () => { this.page += d; this.update(); this.node.querySelector(".rows").scrollIntoView({block: "nearest"}); };
    const at = document.activeElement?.dataset?.go;
    this.pages.replaceChildren(...last === 0 ? [] : [
      h("button", {type: "button", class: "quiet", "data-go": "back", disabled: this.page === 0, onclick: go(-1)}, "Previous"),
      h("span", {role: "status"}, `Page ${count(this.page + 1)} of ${count(last + 1)}`),
      h("button", {type: "button", class: "quiet", "data-go": "on", disabled: this.page === last, onclick: go(1)}, "Next")]);
    if (at) (this.pages.querySelector(`[data-go="${at}"]:enabled`) ?? this.pages.querySelector("button:enabled"))?.focus();
  }

  row(r) {
    const n = r.number;
    let word = "Waiting", sign = null, why = "";
    if (r.problem) [word, sign, why] = ["No answer", "unknown", r.problem.detail];
    else if (r.result) {
      const v = verdict(r.result, this.lists), l = r.result.labels[0];
      [word, sign] = [v.match ? levels[r.result.level]?.[0] ?? r.result.level : v.title, v.shape];
      if (l) why = [isolated(l.name || l.source_ref), ` · ${v.word}`];
    }
    const text = [sign && shape(sign, 18), word];
    return h("tr", {"data-level": r.level || (r.problem ? "none" : "open")},
      h("td", {class: "number"}, count(n)),
      h("td", {class: "word"}, r.result ? h("button", {type: "button", class: "open", "data-row": n, "aria-label": `Row ${n}: ${word}. Show the verdict`, onclick: () => this.actions.open(r)}, text) : h("span", {class: "open"}, text)),
      h("th", {scope: "row"}, h("span", {class: "mono"}, isolated(r.text || "(empty)")), why && h("span", {class: "why"}, why)),
      h("td", {class: "chain"}, r.result || r.given ? r.chain : ""));
  }
}
