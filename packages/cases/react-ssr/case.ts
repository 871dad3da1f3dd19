import { computePage } from "@evenbench/complex-page";
import { ComplexDocument } from "@evenbench/complex-page/react";
import { REACT_CASE } from "@evenbench/complex-page/react-case";
import { defineCase, wholeResponse } from "@evenbench/core";
import { createElement } from "react";
import { renderToString } from "react-dom/server.edge";

export default defineCase({
  ...REACT_CASE,
  title: "React, to a string",
  description:
    "Renders the complex page, about 19,000 React elements with inline styles, with renderToString.",
  scatter: 0.08,
  handle() {
    const html = renderToString(createElement(ComplexDocument, { data: computePage() }));
    return wholeResponse(`<!DOCTYPE html>${html}`, "text/html; charset=utf-8");
  },
});
