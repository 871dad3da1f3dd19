/** Source of each page's script: buttons that copy commands, and one that unfolds or folds all cases. */
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
if (fold) {
  fold.hidden = cases.length < 2;
  fold.addEventListener("click", () => {
    const open = cases.every((section) => !section.open);
    for (const section of cases) section.open = open;
    fold.textContent = open ? "Fold all cases" : "Open all cases";
  });
}
`;
