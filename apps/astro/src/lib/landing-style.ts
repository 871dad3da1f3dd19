import { cssText } from "@evenbench/landing-page/css-text";
import * as styles from "@evenbench/landing-page/styles";

type Names = keyof typeof styles;

export const style = Object.fromEntries(
  Object.entries(styles).map(([name, value]) => [name, cssText(value)]),
) as Readonly<Record<Names, string>>;
