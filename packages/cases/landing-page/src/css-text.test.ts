import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { expect, test } from "vitest";
import { cssText } from "./css-text.ts";
import * as styles from "./styles.ts";

test.each(Object.entries(styles))("the text of the style %s is React's own", (_name, style) => {
  const text = cssText(style).replaceAll("'", "&#x27;");
  expect(renderToStaticMarkup(createElement("p", { style }))).toBe(`<p style="${text}"></p>`);
});
