import { TERM_SCRIPT } from "./term.ts";

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
const setOpen = (open) => {
  for (const one of cases) one.open = open;
  fold.textContent = open ? "Fold all cases" : "Open all cases";
};
fold.hidden = cases.length < 2;
fold.addEventListener("click", () => setOpen(cases.every((one) => !one.open)));
// Whoever follows a link to a case wants to see it.
const unfold = () => {
  const named = cases.find((one) => "#" + one.parentElement.id === location.hash);
  if (named) named.open = true;
  const target = location.hash.length > 1 && !location.hash.includes("=") && document.getElementById(location.hash.slice(1));
  if (target) {
    for (let one = target.parentElement; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    target.scrollIntoView({ behavior: "instant" });
  }
};
addEventListener("hashchange", unfold);
unfold();
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#case-']");
  if (link && link.hash === location.hash) unfold();
});
const whole = document.querySelector("button.print-whole");
whole.hidden = false;
whole.addEventListener("click", () => {
  setOpen(true);
  for (const one of document.querySelectorAll(".details details")) one.open = true;
  document.body.classList.add("print-whole");
  print();
  document.body.classList.remove("print-whole");
});
${TERM_SCRIPT}`;

/** What was chosen stands in the fragment, so that a view can be shared. */
export const TABLE_SCRIPT = `
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const around = table.parentElement;
  const form = around.querySelector("form");
  const said = around.querySelector("[aria-live]");
  const buttons = [...table.querySelectorAll("thead button")];
  const plan = [...body.rows];
  const rows = plan.filter((row) => !row.classList.contains("kind"));
  const selects = [...form.querySelectorAll("select")];
  const baseline = selects.find((one) => one.name === "baseline");
  const filters = selects.filter((one) => one !== baseline);
  let sort = "order", down = false;
  const value = (row, key) => row.getAttribute("data-" + key) ?? "";
  const order = (a, b) => {
    const numeric = buttons.find((one) => one.dataset.key === sort)?.dataset.number === "";
    const x = value(a, sort), y = value(b, sort);
    if (x === "" || y === "") return (x === "") - (y === "");
    const sign = numeric ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
    return down ? -sign : sign;
  };
  const cell = (row, column) => row.querySelector(".col-" + column);
  const measured = new Map(rows.map((row) => [row, ["ratio", "cpu-ratio", "verdict"].map((column) => cell(row, column).innerHTML)]));
  const numbers = new Map(rows.map((row) => [row, [value(row, "ratio"), value(row, "cpu-ratio")]]));
  const divide = () => {
    const by = baseline?.value ?? "";
    for (const row of rows) {
      const others = value(row, "against").split("\\n").map((line) => line.split("\\t"));
      const [, ratio = "–", cpuRatio = "–", verdict = "–"] = others.find(([platform]) => platform === by) ?? [];
      const texts = by === "" ? measured.get(row) : [ratio, cpuRatio, verdict];
      ["ratio", "cpu-ratio", "verdict"].forEach((column, index) => {
        // What was measured is the page's own; the other is text.
        if (by === "") cell(row, column).innerHTML = texts[index];
        else cell(row, column).textContent = texts[index];
      });
      const sortable = by === "" ? numbers.get(row) : [ratio, cpuRatio].map((text) => parseFloat(text) || "");
      row.setAttribute("data-ratio", sortable[0]);
      row.setAttribute("data-cpu-ratio", sortable[1]);
    }
  };
  const show = () => {
    divide();
    const by = baseline?.value ?? "";
    for (const one of document.querySelectorAll("[data-view]")) one.hidden = one.dataset.view !== by;
    for (const one of document.querySelectorAll("[data-against]")) {
      if (one.dataset.against === by) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    const grouped = sort === "order" && !down;
    body.append(...(grouped ? plan : rows.toSorted(order)));
    let before = null;
    for (const row of body.rows) {
      if (row.classList.contains("kind")) continue;
      row.hidden = filters.some((one) => one.value !== "" && value(row, one.name) !== one.value);
      if (row.hidden) continue;
      row.classList.toggle("first", before === null || value(before, "case") !== value(row, "case"));
      before = row;
    }
    plan.forEach((row, index) => {
      if (!row.classList.contains("kind")) return;
      const next = plan.findIndex((one, at) => at > index && one.classList.contains("kind"));
      row.hidden = !grouped || plan.slice(index + 1, next === -1 ? plan.length : next).every((one) => one.hidden);
    });
    for (const button of buttons) {
      const chosen = button.dataset.key === sort;
      button.closest("th").setAttribute("aria-sort", chosen ? (down ? "descending" : "ascending") : "none");
    }
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = shown === rows.length ? "" : shown + " of " + rows.length + " rows";
  };
  const keep = () => {
    const state = new URLSearchParams();
    if (sort !== "order" || down) state.set("sort", (down ? "-" : "") + sort);
    for (const one of selects) if (one.value !== "") state.set(one.name, one.value);
    const text = String(state);
    history.replaceState(null, "", text === "" ? location.pathname + location.search : "#" + text);
  };
  const restore = () => {
    // Fragments without a value are places in the page.
    if (location.hash !== "" && !location.hash.includes("=")) return;
    const state = new URLSearchParams(location.hash.slice(1));
    const asked = state.get("sort") ?? "order";
    const key = asked.replace(/^-/, "");
    const known = buttons.some((one) => one.dataset.key === key);
    sort = known ? key : "order";
    down = known && asked.startsWith("-");
    for (const one of selects) {
      const wanted = state.get(one.name) ?? "";
      one.value = [...one.options].some((option) => option.value === wanted) ? wanted : "";
    }
    show();
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      down = sort === button.dataset.key && !down;
      sort = button.dataset.key;
      show();
      keep();
      said.textContent = "Sorted by " + button.textContent.trim() + ", " + (down ? "descending" : "ascending");
    });
  }
  form.addEventListener("change", () => { show(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = selects.length === 0;
  addEventListener("hashchange", restore);
  restore();
}
`;
