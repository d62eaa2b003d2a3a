// How a file comes: by the picker, or dropped on the page.

import {byID} from "./dom.js";

// onFiles calls take with the files that the person gives.
export function onFiles(take) {
  const give = files => files.length > 0 && take([...files]);
  byID("file").addEventListener("change", e => {
    give(e.target.files);
    e.target.value = "";
  });
  const holdsFile = e => [...(e.dataTransfer?.types ?? [])].includes("Files");
  for (const type of ["dragenter", "dragover"]) addEventListener(type, e => {
    if (!holdsFile(e)) return;
    e.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", e => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", e => {
    document.body.classList.remove("dropping");
    if (!holdsFile(e)) return;
    e.preventDefault();
    give(e.dataTransfer.files);
  });
}
