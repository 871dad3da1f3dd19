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
  const open = cases.every((one) => !one.open);
  for (const one of cases) one.open = open;
  fold.textContent = open ? "Fold all cases" : "Open all cases";
});
`;

/** What was chosen stands in the form and in the fragment, so that a view can be shared. */
export const TABLE_SCRIPT = `
const form = document.querySelector("form.filter");
if (form) {
  const tables = [...document.querySelectorAll("table.verdicts")];
  const plans = tables.map((table) => [...table.tBodies[0].rows]);
  const headings = [...tables[0].tHead.rows[0].cells].map((head) => head.textContent);
  const keys = headings.map((heading) => heading.toLowerCase().replaceAll(" ", "-"));
  const filters = [...form.querySelectorAll("select")];
  const show = () => {
    const asked = form.sort.value;
    const down = asked.startsWith("-");
    const column = Math.max(0, keys.indexOf(asked.replace(/^-/, "")));
    const value = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
    const order = (a, b) => {
      const x = value(a), y = value(b);
      if (x === "" || y === "") return (x === "") - (y === "");
      const sign = Number(x) - Number(y) || (x < y ? -1 : x > y ? 1 : 0);
      return down ? -sign : sign;
    };
    const isLeft = (row) => filters.some(({ name, value }) => value !== "" && row.cells[0].dataset[name] !== value);
    tables.forEach((table, index) => {
      table.tBodies[0].append(...plans[index].toSorted(order));
      for (const row of plans[index]) row.hidden = isLeft(row);
      [...table.tHead.rows[0].cells].forEach((head, at) => {
        head.setAttribute("aria-sort", at !== column ? "none" : down ? "descending" : "ascending");
      });
    });
    for (const view of document.querySelectorAll("[data-view]")) view.hidden = view.dataset.view !== form.baseline.value;
    for (const link of document.querySelectorAll("[data-against]"))
      link.setAttribute("aria-current", link.dataset.against === form.baseline.value);
    const left = plans[0].filter((row) => row.hidden).length;
    form.querySelector("output").textContent = left === 0 ? "" : plans[0].length - left + " of " + plans[0].length + " rows";
  };
  const keep = () => {
    const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
    const here = location.pathname + location.search;
    history.replaceState(null, "", chosen.length === 0 ? here : "#" + new URLSearchParams(chosen));
    show();
  };
  const restore = () => {
    // Fragments without a value are places in the page.
    if (location.hash !== "" && !location.hash.includes("=")) return;
    const state = new URLSearchParams(location.hash.slice(1));
    const views = [...document.querySelectorAll("[data-view]")].map((view) => view.dataset.view);
    for (const name of ["sort", "baseline"]) form[name].value = state.get(name) ?? "";
    if (!views.includes(form.baseline.value)) form.baseline.value = "";
    for (const filter of filters) {
      filter.value = state.get(filter.name) ?? "";
      if (filter.selectedIndex === -1) filter.value = "";
    }
    show();
  };
  for (const table of tables) {
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement("button");
      button.textContent = headings[at];
      button.addEventListener("click", () => {
        form.sort.value = (head.getAttribute("aria-sort") === "ascending" ? "-" : "") + keys[at];
        keep();
      });
      head.replaceChildren(button);
    });
  }
  form.addEventListener("change", keep);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = filters.length === 0;
  addEventListener("hashchange", restore);
  restore();
}
`;
