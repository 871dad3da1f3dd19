import { computePage } from "@evenbench/complex-page";
import { ComplexDocument } from "@evenbench/complex-page/react";
import { defineCase } from "@evenbench/core";
import { act, createElement, version } from "react";
import { renderToReadableStream } from "react-dom/server.edge";

export default defineCase({
  title: "React, streamed",
  kind: "React",
  description:
    "Renders the same tree as react-ssr with renderToReadableStream, React's renderer for web streams.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 1984636,
    sha256: "03dcc049850c74239eedb91bd1db252c57875d2a3cf66fef3c21283419e9c9d6",
  },
  headline: "lastByteMs",
  pins: () => ({ react: version, reactBuild: act === undefined ? "production" : "development" }),
  async handle() {
    const stream = await renderToReadableStream(createElement(ComplexDocument, { data: computePage() }));
    return new Response(stream, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
});
