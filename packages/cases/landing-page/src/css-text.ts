// For frameworks whose templates are HTML.
import type { CSSProperties } from "react";
import * as styles from "./styles.ts";

/** Properties whose numbers have no unit. All other numbers are pixels, as in React. */
const WITHOUT_UNIT = new Set(["fontWeight", "lineHeight"]);

function cssText(style: CSSProperties): string {
  return Object.entries(style)
    .map(([property, value]) => {
      const name = property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const hasUnit = typeof value === "number" && value !== 0 && !WITHOUT_UNIT.has(property);
      return `${name}:${value}${hasUnit ? "px" : ""}`;
    })
    .join(";");
}

export const style = Object.fromEntries(
  Object.entries(styles).map(([name, value]) => [name, cssText(value)]),
) as Readonly<Record<keyof typeof styles, string>>;
