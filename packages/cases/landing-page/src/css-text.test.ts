import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { expect, test } from "vitest";
import { style } from "./css-text.ts";
import * as styles from "./styles.ts";

test.each(Object.entries(styles))("the text of the style %s is React's own", (name, properties) => {
  const text = style[name as keyof typeof styles].replaceAll("'", "&#x27;");
  expect(renderToStaticMarkup(createElement("p", { style: properties }))).toBe(`<p style="${text}"></p>`);
});
