"use strict";
// Tables: a head sorts by its column, again the other way round. The address keeps the order: #sort=TABLE,COLUMN,ORDER.
const words = new Intl.Collator("en", { numeric: true });
function compare(a, b, sign) {
  const [x, y] = [a.dataset.value, b.dataset.value];
  if (x === undefined || y === undefined) return sign * words.compare(a.textContent, b.textContent);
  // What is unknown comes last either way.
  if (x === "" || y === "") return (x === "") - (y === "");
  return sign * (x - y);
}
function sort(table, column, order) {
  const sign = order === "descending" ? -1 : 1;
  const rows = [...table.tBodies[0].rows].sort((a, b) => compare(a.cells[column], b.cells[column], sign));
  table.tBodies[0].append(...rows);
  [...table.tHead.rows[0].cells].forEach((head, index) => head.ariaSort = index === column ? order : "none");
}
for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => head.firstChild.addEventListener("click", () => {
    const order = head.ariaSort === "ascending" ? "descending" : "ascending";
    sort(table, column, order);
    history.replaceState(null, "", `#sort=${table.id},${column},${order}`);
  }));
}
const [, id, column, order] = /^#sort=(\w+),(\d+),(ascending|descending)$/.exec(location.hash) ?? [];
const table = id && document.getElementById(id);
if (table?.tHead?.rows[0].cells[column]) {
  sort(table, Number(column), order);
  table.scrollIntoView();
}

// The legend: a name hides its lines and shows them again.
for (const button of document.querySelectorAll("[data-line]")) {
  button.addEventListener("click", () => {
    const hidden = document.body.classList.toggle(`hide${button.dataset.line}`);
    button.ariaPressed = String(!hidden);
  });
}
document.documentElement.dataset.ready = "";
