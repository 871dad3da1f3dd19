/** The flame graph's style, on top of the report's. */
export const FLAME_STYLE = `
.p0{--c:#6f5fc8}.p1{--c:#44aa99}.p2{--c:#999933}.p3{--c:#cc6677}.p4{--c:#aa4466}.p5{--c:#b8a65a}.gc{--c:var(--slower)}.other{--c:var(--band)}
.swatch{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:7px;background:color-mix(in srgb,var(--c) 45%,var(--paper));border:1px solid var(--c)}
.shares td.share{white-space:nowrap;min-width:9em}.shares .bar{display:inline-block;width:5em;height:9px;margin-right:8px;border-radius:2px;background:var(--shade);vertical-align:1px}.shares .bar span{display:block;height:100%;border-radius:2px;background:var(--c)}
.flame{margin:16px 0}
.flame .here{min-height:3.2em;margin:0 0 8px;font-size:14px;color:var(--soft);overflow-wrap:anywhere}
.flame>ul{max-height:36rem;overflow:auto;border:1px solid var(--line);border-radius:6px}
.flame ul{list-style:none;margin:0;padding:0}
.flame li ul{display:flex;align-items:flex-start}
.flame li{min-width:0;flex:none;overflow:hidden}
.flame b{display:block;height:24px;line-height:23px;padding:0 4px;font-weight:400;font-size:13px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;cursor:pointer;color:var(--ink);background:color-mix(in srgb,var(--c) 24%,var(--paper));border:solid var(--paper);border-width:0 1px 1px 0}
.flame i{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.flame li{position:relative}
.flame b:focus{outline:none;background:color-mix(in srgb,var(--c) 55%,var(--paper));box-shadow:inset 0 0 0 2px var(--ink)}
.flame li.away{display:none}.flame li.way{width:100%!important}
@media print{.flame>ul{max-height:none;overflow:visible}}
`;

/**
 * Makes a flame list a tree that can be walked and zoomed. Written as text because it runs in the reader's
 * browser; without it the list is complete.
 */
export const FLAME_SCRIPT = `
for (const flame of document.querySelectorAll("[data-flame]")) {
  const tree = flame.querySelector("ul");
  const here = flame.querySelector(".here");
  tree.setAttribute("role", "tree");
  const text = ({ firstChild: box, children: [, shares] }) => box.textContent + ": " + shares.textContent + ". " + box.title;
  const label = (item, level) => {
    const [box, shares, list] = item.children;
    item.setAttribute("role", "none");
    shares.setAttribute("aria-hidden", "true");
    box.setAttribute("role", "treeitem");
    box.setAttribute("aria-level", level);
    box.setAttribute("aria-label", text(item));
    box.tabIndex = -1;
    if (!list) return;
    box.setAttribute("aria-expanded", "true");
    list.setAttribute("role", "group");
    for (const child of list.children) label(child, level + 1);
  };
  const root = tree.children[0];
  label(root, 1);
  root.firstChild.tabIndex = 0;
  let current = root;
  const go = (item) => {
    if (!item) return;
    current.firstChild.tabIndex = -1;
    current = item;
    const box = item.firstChild;
    box.tabIndex = 0;
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest", inline: "nearest" });
    here.textContent = text(item);
  };
  const callerOf = (item) => item.parentElement.closest("li");
  const zoom = (item) => {
    for (const one of tree.querySelectorAll(".away,.way")) one.classList.remove("away", "way");
    for (let one = item; one !== root; one = callerOf(one)) {
      one.classList.add("way");
      for (const other of one.parentElement.children) if (other !== one) other.classList.add("away");
    }
    go(item);
  };
  const beside = (item, step) => {
    let next = item[step];
    while (next && next.classList.contains("away")) next = next[step];
    return next;
  };
  tree.addEventListener("click", (event) => zoom(event.target.closest("li")));
  tree.addEventListener("keydown", (event) => {
    const moves = {
      ArrowDown: () => go(current.querySelector("li:not(.away)")),
      ArrowUp: () => go(callerOf(current)),
      ArrowLeft: () => go(beside(current, "previousElementSibling")),
      ArrowRight: () => go(beside(current, "nextElementSibling")),
      Home: () => go(root),
      Enter: () => zoom(current),
      " ": () => zoom(current),
      Escape: () => zoom(root),
    };
    if (!Object.hasOwn(moves, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    moves[event.key]();
  });
}
`;
