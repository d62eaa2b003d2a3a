// The day of the lists.

import {pastKnown} from "./api.js";
import {now} from "./clock.js";
import {byID} from "./dom.js";
import {day} from "./words.js";

export const at = byID("at");

export const today = () => now().toISOString().slice(0, 10); // in UTC

// showDay shows the field for the day, which is hidden beside a verdict of now.
export function showDay(open = at.value !== "" || at.validity.badInput) {
  document.body.classList.toggle("dated", open);
  byID("now").hidden = !open;
}

// fitDay reports whether the day is none or one that has come, and says if it is not. A day
// that is only half entered must not become the lists of now.
export function fitDay() {
  const fits = !at.validity.badInput && at.value <= today();
  showDay();
  at.setAttribute("aria-invalid", String(!fits));
  byID("at-note").textContent = at.validity.badInput ? "This is not a whole date." : !fits ? "This day is yet to come." : at.value ? `The lists as they were at the end of ${day(at.value)}, in UTC.` : none();
  return fits;
}

export const anotherDay = () => { showDay(true); at.focus(); };

let known = ""; // since when the server knows the past
const none = () => `Empty means now. A day means its end in UTC. ${known}`;

at.addEventListener("input", fitDay);
at.addEventListener("focus", async () => {
  if ((known ||= await pastKnown()) && !at.value && !at.validity.badInput) byID("at-note").textContent = none();
});
