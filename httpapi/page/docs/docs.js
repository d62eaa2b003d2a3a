// Shows openapi.yaml with Swagger UI, whose key and answers stay in memory.
"use strict";

// Descriptions are markup. safe returns it with the elements and attributes that they
// need, and all else as text.
const safe = markup => markup
  .replace(/<(?!\/?(?:a|b|blockquote|br|code|del|div|em|h[1-6]|hr|i|li|ol|p|pre|small|span|strong|table|tbody|td|th|thead|tr|ul)(?:\s+(?:class|href|id|rel|target|title)="[^"<>]*")*\s*\/?>)/gi, "&lt;")
  .replace(/href="(?!https?:|#|[\w./]*")[^"]*"/gi, "");
globalThis.trustedTypes?.createPolicy("default", {createHTML: safe});

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

// found reports whether an operation has all words of the search.
const found = (operation, words) => {
  const text = JSON.stringify(operation.toJS ? operation.toJS() : operation).toLowerCase();
  return words.every(w => text.includes(w));
};

const plugin = ({React}) => ({
  fn: {
    opsFilter: (tags, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
      return tags.map(tag => tag.set("operations", tag.get("operations").filter(o => found(o, words)))).filter(tag => tag.get("operations").size > 0);
    },
  },
  components: {
    DeepLink: ({text}) => React.createElement("span", null, text), // it is in a button, which links as well
  },
  wrapComponents: {
    // The command to copy does not show the key.
    curl: Curl => ({request, ...rest}) => React.createElement(Curl, {request: request.hasIn(["headers", "Authorization"]) ? request.setIn(["headers", "Authorization"], "Bearer YOUR_KEY") : request, ...rest}),
  },
});

// What Swagger UI leaves to the reader's eyes: names of fields and of parts of the page.
const labels = {
  ".operation-filter-input": "Search the calls", ".examples-select-element": "Example", ".content-type": "Type of content", ".body-param__text": "Request body",
  ".close-modal": "Close", ".dialog-ux": "API key", ".information-container": "About", ".scheme-container": "API key", "#docs select": "Value",
};
const roles = {".information-container": "banner", ".scheme-container": "region", ".filter-container": "search", ".dialog-ux": "dialog"};

// finish sets them, and the order of the headings.
function finish() {
  const all = (selector, attribute, value) => document.querySelectorAll(`${selector}:not([${attribute}])`).forEach(e => e.setAttribute(attribute, value));
  for (const [selector, label] of Object.entries(labels)) all(selector, "aria-label", label);
  for (const [selector, role] of Object.entries(roles)) all(selector, "role", role);
  all("#docs pre", "tabindex", 0); // it scrolls
  for (const n of [3, 4, 5]) all(`#docs h${n}`, "aria-level", n - 1);
  for (const e of document.querySelectorAll("table[role=region]:not([aria-label])")) e.setAttribute("aria-label", e.id.replaceAll("_", " "));
  for (const e of document.querySelectorAll(".auth.button[aria-label]")) e.removeAttribute("aria-label");
  for (const e of document.querySelectorAll("[placeholder='Filter by tag or path']")) e.placeholder = "Search: a path, a field, a problem …";
}
new MutationObserver(finish).observe(document.getElementById("docs"), {childList: true, subtree: true});

SwaggerUIBundle({
  url: "openapi.yaml",
  dom_id: "#docs",
  validatorUrl: null, // no other server hears of this one
  deepLinking: true,
  filter: "",
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: {activated: false},
  plugins: [plugin],
});
