// Drawings: the shape of each level, a list's freshness, and its size over time. Each
// has its meaning as text beside it or in its name.

import {now as clock} from "./clock.js";
import {svg} from "./dom.js";
import {DAY, ago, count, day, limit} from "./words.js";

const paths = {
  critical: ["M15 3h18l12 12v18L33 45H15L3 33V15z", "M24 13v14M24 34v1"],
  high: ["M24 4l22 40H2z", "M24 18v13M24 37v1"],
  medium: ["M24 2l22 22-22 22L2 24z", "M24 14v12M24 33v1"],
  low: ["M8 12h32a6 6 0 0 1 6 6v12a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V18a6 6 0 0 1 6-6z", "M15 24h18"],
  clean: ["M24 3a21 21 0 1 1 0 42 21 21 0 0 1 0-42z", "M14 25l7 7 13-15"],
  qualified: ["M24 3a21 21 0 1 1 0 42 21 21 0 0 1 0-42z", "M14 24h20"],
  past: ["M24 3a21 21 0 1 1 0 42 21 21 0 0 1 0-42z", "M24 12v13l9 6"],
  unknown: ["M8 4h32a4 4 0 0 1 4 4v32a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z", "M18 18c0-8 12-8 12 0 0 5-6 5-6 11M24 35v1"],
};

// shape returns the sign of a level. Words beside it say the same.
export const shape = (name, size = 48) =>
  svg("svg", {class: `shape ${name}`, viewBox: "0 0 48 48", width: `${size / 16}rem`, height: `${size / 16}rem`, "aria-hidden": "true", focusable: "false"},
    svg("path", {class: "body", d: paths[name][0]}), svg("path", {class: "mark", d: paths[name][1]}));

const width = 320;
const far = 90 * DAY;
const at = age => 8 + (width - 16) * (1 - Math.log1p(Math.min(Math.max(age, 0), far) / 3600) / Math.log1p(far / 3600));

// timeline draws when a list was published and checked, on a logarithmic scale from 90
// days ago to now, with the limit of 48 hours shaded.
export function timeline(s, now = clock()) {
  const published = s.published_at ? (now - new Date(s.published_at)) / 1000 : null;
  const said = [
    s.age === null ? "never checked" : `checked ${ago(s.age)}`,
    published === null ? "date of publication unknown" : `published ${ago(published)}`,
    s.age !== null && s.age > limit ? "older than the limit of 48 hours" : null,
  ].filter(Boolean).join(", ");
  return svg("svg", {class: "timeline", viewBox: `0 0 ${width} 38`, role: "img", "aria-label": `${s.name}: ${said}`},
    svg("rect", {class: "fresh", x: at(limit), y: 4, width: width - 8 - at(limit), height: 16, rx: 3}),
    svg("path", {class: "axis", d: `M8 12H${width - 8}`}),
    [[30 * DAY, "30 d"], [7 * DAY, "7 d"], [limit, "48 h"], [3600, ""], [0, "now"]].map(([age, text]) => [
      svg("path", {class: "tick", d: `M${at(age)} 8v8`}),
      svg("text", {x: at(age), y: 33, "text-anchor": age === 0 ? "end" : "middle", "aria-hidden": "true", dx: age === 0 ? 8 : 0}, text),
    ]),
    published !== null && svg("path", {class: "published", d: `M${at(published)} 5l7 7-7 7-7-7z`}),
    s.age !== null && svg("circle", {class: `checked ${s.word}`, cx: at(s.age), cy: 12, r: 5}));
}

// sizes draws how many addresses a list had over time. points are {time, addresses},
// the oldest first. It returns null if there is nothing to compare.
export function sizes(name, points) {
  if (points.length < 2) return null;
  const t0 = +new Date(points[0].time), t1 = Math.max(+new Date(points.at(-1).time), t0 + 1);
  const values = points.map(p => p.addresses);
  const low = Math.min(...values), high = Math.max(...values), room = high - low || 1;
  const x = p => 8 + (width - 16) * ((+new Date(p.time) - t0) / (t1 - t0));
  const y = p => 40 - 32 * ((p.addresses - low) / room) - (high === low ? 16 : 0);
  const line = points.map((p, i) => (i === 0 ? `M${x(p)} ${y(p)}` : `H${x(p)}V${y(p)}`)).join("");
  const first = points[0], last = points.at(-1);
  return svg("svg", {class: "sizes", viewBox: `0 0 ${width} 48`, role: "img",
    "aria-label": `${name}: ${count(first.addresses)} addresses on ${day(first.time)}, ${count(last.addresses)} on ${day(last.time)}; lowest ${count(low)}, highest ${count(high)}`},
    svg("path", {class: "area", d: `${line}V46H8z`}), svg("path", {class: "curve", d: line}),
    svg("circle", {class: "end", cx: x(last), cy: y(last), r: 3.5}));
}
