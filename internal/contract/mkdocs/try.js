"use strict";
// The forms of this page call the API beside it, and show the answer.
const base = location.href.replace(/[?#].*$/, "").replace(/\/docs$/, "");
for (const e of document.querySelectorAll(".base")) e.textContent = base;
const key = document.getElementById("try-key");
for (const form of document.querySelectorAll("form.try")) form.hidden = false;
key.form.addEventListener("submit", (event) => event.preventDefault());
for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const out = form.querySelector("output");
    const headers = {};
    if (!form.dataset.free && key.value) headers.Authorization = "Bearer " + key.value.trim();
    const body = form.querySelector("textarea");
    if (body) headers["Content-Type"] = "application/json";
    out.textContent = "…";
    out.tabIndex = 0; // long answers scroll
    try {
      const r = await fetch(base + form.dataset.path, { method: form.dataset.method, headers, body: body ? body.value : undefined, cache: "no-store" });
      let text = await r.text();
      if ((r.headers.get("Content-Type") || "").includes("json")) {
        try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it is */ }
      }
      out.textContent = r.status + " " + r.statusText + "\n" + [...r.headers].map(([n, v]) => n + ": " + v).join("\n") + "\n\n" + text.slice(0, 20000);
    } catch (error) {
      out.textContent = "No answer: " + error.message;
    }
  });
}
