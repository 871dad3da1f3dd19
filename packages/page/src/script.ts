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
if (tables.length > 0) {
  const plans = tables.map((table) => [...table.tBodies[0].rows]);
  const headings = [...tables[0].tHead.rows[0].cells].map((head) => head.textContent);
  const keys = headings.map((heading) => heading.toLowerCase().replaceAll(" ", "-"));
  const views = [...document.querySelectorAll("[data-view]")];
  let chosen = new URLSearchParams();
  const show = () => {
    const asked = chosen.get("sort") ?? "";
    const down = asked.startsWith("-");
    const column = Math.max(0, keys.indexOf(asked.replace(/^-/, "")));
    const value = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const order = (a, b) => {
      const x = value(a), y = value(b);
      if (x === "" || y === "") return (x === "") - (y === "");
      const sign = Number(x) - Number(y) || (x < y ? -1 : x > y ? 1 : 0);
      return down ? -sign : sign;
    };
    tables.forEach((table, index) => {
      table.tBodies[0].append(...plans[index].toSorted(order));
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        head.setAttribute("aria-sort", at !== column ? "none" : down ? "descending" : "ascending");
      });
    });
    const baseline = views.some(({ dataset }) => dataset.view === chosen.get("baseline")) ? chosen.get("baseline") : "";
    for (const view of views) view.hidden = view.dataset.view !== baseline;
    for (const link of document.querySelectorAll("[data-against]"))
      link.setAttribute("aria-current", link.dataset.against === baseline);
  };
  const choose = (name, value) => {
    chosen.delete(name);
    if (value !== "") chosen.set(name, value);
    history.replaceState(null, "", chosen.size === 0 ? location.pathname + location.search : "#" + chosen);
    show();
  };
  const restore = () => {
    // Fragments without a value are places in the page.
    if (location.hash !== "" && !location.hash.includes("=")) return;
    chosen = new URLSearchParams(location.hash.slice(1));
    show();
  };
  for (const link of document.querySelectorAll("[data-against]"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose("baseline", link.dataset.against);
    });
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
  restore();
}
`;
