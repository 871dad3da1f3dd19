/**
 * Source of the script of each page: buttons that copy commands, and one that unfolds all cases or folds
 * them.
 */
export const PAGE_SCRIPT = `
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = name; }, 2000);
    });
  }
}
const cases = [...document.querySelectorAll(".case>details")];
const fold = document.querySelector("button.fold");
fold.hidden = cases.length < 2;
fold.addEventListener("click", () => {
  const open = cases.every((section) => !section.open);
  for (const section of cases) section.open = open;
  fold.textContent = open ? "Fold all cases" : "Open all cases";
});
`;

/**
 * Source of the script of a page with tables of verdicts: it sorts rows, and changes the baseline. The choice
 * stands in the address's fragment, so that a view can be shared.
 */
export const TABLE_SCRIPT = `
const tables = [...document.querySelectorAll("table.verdicts")];
const views = [...document.querySelectorAll("[data-view]")];
const metrics = [...document.querySelectorAll("[data-metric]")];
const tabs = [...document.querySelectorAll("[data-choose]")];
const plans = tables.map((table) => [...table.tBodies[0].rows]);
const headings = tables.length === 0 ? [] : [...tables[0].tHead.rows[0].cells].map((head) => head.textContent);
const keys = headings.map((heading) => heading.toLowerCase().replaceAll(" ", "-"));
let chosen = new URLSearchParams();
const sortTables = () => {
  const asked = chosen.get("sort") ?? "";
  const down = asked.startsWith("-");
  const column = Math.max(0, keys.indexOf(asked.replace(/^-/, "")));
  const value = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
  const order = (a, b) => {
    const x = value(a), y = value(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    const sign = Number(x) - Number(y) || Number(x > y) - Number(x < y);
    return down ? -sign : sign;
  };
  const direction = down ? "descending" : "ascending";
  tables.forEach((table, index) => {
    table.tBodies[0].append(...plans[index].toSorted(order));
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      head.setAttribute("aria-sort", at === column ? direction : "none");
    });
  });
};
const known = (name, elements, key) => {
  const asked = chosen.get(name);
  return elements.some(({ dataset }) => dataset[key] === asked) ? asked : null;
};
const show = () => {
  sortTables();
  const now = { baseline: known("baseline", views, "view") ?? "", metric: known("metric", metrics, "metric") ?? "time" };
  for (const view of views) view.hidden = view.dataset.view !== now.baseline;
  for (const part of metrics) part.hidden = part.dataset.metric !== now.metric;
  for (const tab of tabs) tab.setAttribute("aria-current", now[tab.dataset.choose] === tab.dataset.value);
};
const choose = (name, value) => {
  chosen.delete(name);
  if (value !== "" && !(name === "metric" && value === "time")) chosen.set(name, value);
  history.replaceState(null, "", chosen.size === 0 ? location.pathname + location.search : "#" + chosen);
  show();
};
const restore = () => {
  // Fragments without a value are places in the page.
  if (location.hash !== "" && !location.hash.includes("=")) return openPlace();
  chosen = new URLSearchParams(location.hash.slice(1));
  show();
};
const openPlace = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (place === null) return;
  for (let at = place; at !== null; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  place.scrollIntoView();
};
for (const tab of tabs) {
  tab.addEventListener("click", (event) => {
    event.preventDefault();
    choose(tab.dataset.choose, tab.dataset.value);
  });
}
for (const nav of document.querySelectorAll("nav.tabs")) nav.hidden = false;
for (const table of tables) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.textContent = headings[at];
    button.addEventListener("click", () => {
      choose("sort", (head.getAttribute("aria-sort") === "ascending" ? "-" : "") + keys[at]);
    });
    head.replaceChildren(button);
  });
}
addEventListener("hashchange", restore);
show();
restore();
`;
