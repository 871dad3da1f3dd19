import { computePage } from "@evenbench/complex-page";
import { ComplexDocument } from "@evenbench/complex-page/react";
import { REACT_CASE } from "@evenbench/complex-page/react-case";
import { defineCase } from "@evenbench/core";
import { createElement } from "react";
import { renderToReadableStream } from "react-dom/server.edge";

export default defineCase({
  ...REACT_CASE,
  title: "React, streamed",
  description:
    "Renders the same tree as react-ssr with renderToReadableStream, React's renderer for web streams.",
  async handle() {
    const stream = await renderToReadableStream(createElement(ComplexDocument, { data: computePage() }));
    return new Response(stream, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
});
