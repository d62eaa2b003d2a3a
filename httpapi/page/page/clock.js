// The time of the server. Ages and days on the page follow it, not the clock of this computer.

let ahead = 0; // milliseconds

// hear takes the Date of an answer.
export function hear(date) {
  const at = Date.parse(date ?? "");
  if (!isNaN(at)) ahead = at - Date.now();
}

// now returns the time of the server.
export const now = () => new Date(Date.now() + ahead);
