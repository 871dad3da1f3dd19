import type { Warning } from "../data.ts";
import { counted } from "../format.ts";
import { html, type Markup } from "./markup.ts";
import { warningList } from "./warnings.ts";

/** All warnings behind one line, which names those that void something; null where there is none. */
export function notices(list: readonly Warning[]): Markup | null {
  if (list.length === 0) return null;
  const voids = list.filter(({ severity }) => severity === "void").map(({ title }) => title);
  const named = voids.length === 0 ? null : html` <strong>✕ ${voids.join(" · ")}</strong>`;
  return html`<details class="notices"><summary>${counted(list.length, "notice")}${named}</summary>${warningList(list)}</details>`;
}
