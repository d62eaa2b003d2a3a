// What a file is: a table of text, or something else that is never screened.

// reads says which files the page reads. The picker and the drop area say the same.
export const maxBytes = 32 << 20;
export const reads = `CSV, TSV or text, up to ${maxBytes >> 20} MiB`;

const save = "Open it in a spreadsheet program, save it as CSV, and drop that.";
const program = "The command line reads it as it is: walletscreen screen -in FILE -out FILE.";

// kinds are files that people have instead of text, by how they begin, byte for byte, or by a
// name in a zip archive.
const kinds = [
  [/^PK\x03\x04[^]*xl\/workbook/, "a workbook (XLSX)", save + " " + program],
  [/^PK\x03\x04[^]*opendocument\.spreadsheet/, "a workbook (ODS)", save],
  [/^PK\x03\x04/, "a document or a zip archive", "Save it as CSV or text, or unpack it, and drop that."],
  [/^\xd0\xcf\x11\xe0/, "a workbook or a document of an old kind (XLS, DOC)", save],
  [/^\x1f\x8b/, "compressed (gzip)", "Unpack it first. " + program],
  [/^%PDF-/, "a PDF document", "Copy the addresses from it into the field, one on each line."],
  [/^\{\\rtf/, "a document (RTF)", "Save it as text, and drop that."],
  [/^\s*<(!doctype|html|head|meta|body|table|\?xml)/i, "a web page or XML", "Copy the addresses from it into the field, one on each line."],
  [/^\s*[{[]\s*["{[]/, "JSON", program],
];

const latin = bytes => String.fromCharCode(...bytes);

// known throws an Error for people if bytes begin a file that is no table of text.
export function known(bytes) {
  const it = latin(bytes.subarray(0, 4096)).replace(/^\xef\xbb\xbf/, "") + latin(bytes.subarray(-16384));
  const [, what, how] = kinds.find(([pattern]) => pattern.test(it)) ?? [];
  if (what) throw new Error(`This is ${what}, and this page reads ${reads}. ${how}`);
}

// decode returns the text of the bytes of a file: UTF-8, UTF-16 with a byte order mark, or
// else Windows-1252. It throws an Error for people if they are not text.
export function decode(bytes) {
  const [text, control] = read(bytes);
  const at = text.search(control);
  if (at < 0) return text;
  const line = text.slice(0, at).split("\n").length;
  throw new Error(`This is not text: line ${line} has a byte that no text has, and this page reads ${reads}. ` + (text[at] === "\0" ? "If it is text in UTF-16, save it as UTF-8. " : "") + save);
}

// read returns the text of bytes, and which of its characters no text has. A wrong guess of the
// encoding shows in the control characters.
function read(bytes) {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return [new TextDecoder("utf-16le").decode(bytes), /\0/];
  if (a === 0xfe && b === 0xff) return [new TextDecoder("utf-16be").decode(bytes), /\0/];
  try {
    return [new TextDecoder("utf-8", {fatal: true}).decode(bytes), /\0/];
  } catch {
    return [new TextDecoder("windows-1252").decode(bytes), /[\0-\x08\x0e-\x19\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]/];
  }
}
