// Reads and writes tables of text.

export const maxRows = 200000;

// split returns the records of text. It throws if a quote is never closed, because
// the rows after it would be lost.
export function split(text, delimiter) {
  const records = [];
  let record = [], i = 0, line = 1;
  const end = text.length;
  while (i < end) {
    let field = "";
    if (text[i] === '"') {
      const opened = line;
      for (i++; ; i++) {
        const close = text.indexOf('"', i);
        if (close < 0) throw new Error(`The quote in line ${opened} is never closed, so the rows after it cannot be told apart. Repair the file and drop it again.`);
        const part = text.slice(i, close);
        line += part.split("\n").length - 1;
        field += part;
        i = close + 1;
        if (text[i] !== '"') break;
        field += '"';
      }
    }
    let j = i;
    while (j < end && text[j] !== delimiter && text[j] !== "\n" && text[j] !== "\r") j++;
    record.push(field + text.slice(i, j));
    i = j + 1;
    if (j < end && text[j] === delimiter) {
      if (i === end) record.push("");
      continue;
    }
    if (text[j] === "\r" && text[j + 1] === "\n") i++;
    records.push(record);
    record = [];
    line++;
  }
  if (record.length > 0) records.push(record);
  return records;
}

// parse returns the table in text: its delimiter, records and whether the first is a
// header, and the columns that have addresses and chains (-1 for none). The lines of a title
// above the header are left out, and counted.
export function parse(text) {
  text = text.replace(/^\ufeff/, "");
  const delimiter = sniff(text);
  let records = split(text, delimiter);
  const skipped = titles(records);
  records = records.slice(skipped);
  const width = records.reduce((w, r) => Math.max(w, r.length), 0);
  const sample = records.slice(0, 50);
  const header = sample.length > 0 && !sample[0].some(looksLikeAddress) && (sample[0].some(c => address.test(plain(c))) || sample.slice(1).some(r => r.some(looksLikeAddress)));
  const names = Array.from({length: width}, (_, i) => (header && plain(records[0][i] ?? "")) || `Column ${i + 1}`);
  return {delimiter, records, width, header, names, ...columns(sample, names, header), skipped: skipped || undefined};
}

// titles returns how many records at the beginning are a title: none has an address, each has
// fewer cells with text than the header below, and the header names a column that has addresses.
function titles(records) {
  const written = r => r.filter(c => c.trim()).length;
  const below = records.slice(0, 70);
  for (let n = 0; n <= 20 && n < records.length && !records[n].some(looksLikeAddress); n++) {
    const found = records[n].some((c, i) => address.test(plain(c)) && below.slice(n + 1).some(r => looksLikeAddress(r[i] ?? "")));
    if (found) return below.slice(0, n).every(r => written(r) < Math.max(written(records[n]), 2)) ? n : 0;
  }
  return 0;
}

const address = /^(wallet|crypto|blockchain)?[ _-]?(address|adresse|dirección|indirizzo|addr|wallet|account)([ _-]?(hash|id))?$/i;
const chain = /^(block)?chain|^(network|netzwerk|kette|red|cadena|r[ée]seau|rete|coin|asset|currency)$/i;

function columns(sample, names, header) {
  const body = header ? sample.slice(1) : sample;
  const hits = names.map((_, i) => body.filter(r => looksLikeAddress(r[i] ?? "")).length);
  const best = hits.indexOf(Math.max(...hits, 0));
  const named = header ? names.findIndex(n => address.test(n)) : -1;
  return {
    addresses: named >= 0 && (hits[named] > 0 || hits[best] === 0) ? named : Math.max(best, 0),
    chains: header ? names.findIndex(n => chain.test(n)) : -1,
  };
}

// plain returns the text that a spreadsheet program shows of a cell whose type it was told:
// of ="0x1" and '0x1 that is 0x1.
export const plain = cell => {
  const c = cell.trim();
  return /^="([^"]*)"$/.exec(c)?.[1] ?? c.replace(/^'/, "");
};

const looksLikeAddress = cell => {
  const c = plain(cell);
  return c.length >= 25 && /\d/.test(c) && /[a-z]/i.test(c) && /^[\w:.-]+$/.test(c) && !/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(c);
};

// sniff returns the delimiter that splits the first lines most evenly: most of them have as many
// as one of them, and a title above them may have none.
function sniff(text) {
  const lines = text.slice(0, 20000).replace(/"[^"]*"/g, "").split(/\r?\n|\r/).filter(l => l.trim()).slice(0, 40);
  let best = ",", most = 0, many = 0;
  for (const d of [",", ";", "\t", "|"]) {
    const counts = lines.map(l => l.split(d).length - 1);
    for (const n of new Set(counts)) {
      const same = counts.filter(c => c === n).length;
      if (n > 0 && (same > most || same === most && n > many)) [best, most, many] = [d, same, n];
    }
  }
  return best;
}

// write returns the text of a table.
export function write(records, delimiter) {
  const quoted = new RegExp(`["\\r\\n${delimiter === "|" ? "\\|" : delimiter}]|^\\s|\\s$`);
  return records.map(r => r.map(c => (quoted.test(c) ? `"${c.replaceAll('"', '""')}"` : c)).join(delimiter) + "\r\n").join("");
}

// inert keeps a spreadsheet from running a cell that is not the person's own.
export const inert = cell => (/^\s*[=+\-@＝＋－＠]/.test(cell) ? "'" + cell : cell);
