// The columns that screening adds to a table, as walletscreen screen does.

export const columns = ["level", "doubt", "score", "match", "source", "source_ref", "name", "listed_address", "added_at", "not_listed_on", "entity_listed_at",
  "labels", "lists", "formerly", "suppressed", "error"];

// Exact columns are written as they are; the others have texts of lists.
export const exact = new Set(["level", "doubt", "score", "added_at", "not_listed_on", "entity_listed_at", "labels"]);

// rename returns the names of the columns for a table whose header has some of them.
export function rename(header) {
  const had = new Set(header.map(c => c.trim().toLowerCase()));
  return columns.map(name => {
    while (had.has(name)) name = "walletscreen_" + name;
    had.add(name);
    return name;
  });
}

// error returns the sentence of a problem as the program writes it, or that there is no answer.
const error = p => p?.detail?.replace(/^./, c => c.toLowerCase()).replace(/\.$/, "") ?? "not screened";

const day = iso => (iso ?? "").slice(0, 10);

// cells returns the cells of columns for a row of a job, as texts.
export function cells(row) {
  const r = row.result, l = r?.labels[0] ?? {}, level = row.class === "UNDECIDED" || !r ? "" : r.level;
  const of = x => `${x.source} ${x.source_ref ?? ""}`.trim();
  const has = {
    level, doubt: (r?.doubts ?? []).join(" "), score: level && r.score, match: l.match, source: l.source, source_ref: l.source_ref, name: l.name, listed_address: l.listed_address,
    added_at: day(l.added_at), not_listed_on: day(l.not_listed_on), entity_listed_at: day(l.entity_listed_at),
    labels: level && r.labels.length, lists: [...new Set((r?.labels ?? []).map(x => x.source))].join(" "),
    formerly: (r?.formerly ?? []).map(f => `${of(f)}: ${day(f.since) || "-"} to ${day(f.until) || "-"}`).join("; "),
    suppressed: (r?.suppressed ?? []).map(s => `${of(s)}: ${s.reason ?? ""}${s.author ? ` (${s.author})` : ""}`).join("; "),
    error: r ? "" : error(row.problem),
  };
  return columns.map(c => String(has[c] ?? ""));
}
