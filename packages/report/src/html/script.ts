/**
 * The page's only script: sorts the table of verdicts by a column. Without it the table is complete, in plan order.
 * Written as text because it runs in the reader's browser.
 */
export const SORT_SCRIPT = `
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const said = table.parentElement.querySelector("[aria-live]");
  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const header = button.closest("th");
      const descending = header.getAttribute("aria-sort") === "ascending";
      for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const key = (row) => row.dataset[button.dataset.key] ?? "";
      const compare = (a, b) => {
        const x = key(a), y = key(b);
        if (x === "" || y === "") return (x === "") - (y === "");
        const order = button.dataset.number === "" ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
        return descending ? -order : order;
      };
      body.append(...[...body.rows].sort(compare));
      table.classList.toggle("sorted", button.dataset.key !== "order" || descending);
      if (said) said.textContent = "Sorted by " + button.textContent.trim() + ", " + header.getAttribute("aria-sort");
    });
  }
}
`;
