import { escapeText, formatPercent, html, Markup } from "@evenbench/report/parts";
import type { Owner } from "@evenbench/results";
import type { Flame, FlameNode } from "../flame.ts";

/**
 * A flame graph as a nested list: each box is a call, as wide as its share of its caller, with what it calls
 * below. Without style and script it is a list of calls with their shares, which is its own text alternative.
 */
export function flameList(flame: Flame, title: string, classOf: (owner: Owner) => string): Markup {
  const { root } = flame;
  return html`<div class="flame" data-flame><p class="here" aria-live="polite">Choose a box: click or tap to zoom in. Keys: arrows move, Enter zooms, Escape shows all.</p><ul aria-label="${title}">${box(root, root, root.total, classOf)}</ul></div>`;
}

function box(node: FlameNode, caller: FlameNode, all: number, classOf: (owner: Owner) => string): Markup {
  const { name, owner, place, total, self, children } = node;
  const width = caller.total === 0 ? 100 : (100 * total) / caller.total;
  const share = (samples: number) => formatPercent(all === 0 ? 0 : samples / all);
  // Written by hand, and short: there are thousands of them.
  // Minified names say little: where another package begins, its name is said, too.
  const label = owner.name === caller.owner.name ? name : `${name} · ${owner.name}`;
  const start = `<li class="${classOf(owner)}" style="width:${width.toFixed(2)}%"><b title="${escapeText(title(owner, place))}">${escapeText(node === caller ? name : label)}</b> <i>${share(total)}, itself ${share(self)}</i>`;
  const below = children.map((child) => box(child, node, all, classOf).text).join("");
  return new Markup(`${start}${below === "" ? "" : `<ul>${below}</ul>`}</li>`);
}

function title(owner: Owner, place: string): string {
  return place === "" ? owner.name : `${owner.name}, ${place}`;
}
