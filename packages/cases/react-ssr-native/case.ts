import { PassThrough } from "node:stream";
import { computePage } from "@evenbench/complex-page";
import { ComplexDocument } from "@evenbench/complex-page/react";
import { REACT_CASE } from "@evenbench/complex-page/react-case";
import { defineCase } from "@evenbench/core";
import { createElement, type ReactElement } from "react";
import { renderToReadableStream } from "react-dom/server.edge";
import { renderToPipeableStream } from "react-dom/server.node";

const onWorkers = globalThis.navigator?.userAgent === "Cloudflare-Workers";

export default defineCase({
  ...REACT_CASE,
  title: "React, each platform's own renderer",
  description:
    "The same tree through the renderer that a platform's users would pick: renderToPipeableStream on Node.js, renderToReadableStream on Workers.",
  notSameCode: "Node.js runs React's Node.js renderer, Workers run its web-streams renderer.",
  async handle() {
    const document = createElement(ComplexDocument, { data: computePage() });
    const stream = onWorkers ? await renderToReadableStream(document) : await renderOnNode(document);
    return new Response(stream, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
});

/** Resolves when the shell is ready, as renderToReadableStream does. */
function renderOnNode(document: ReactElement): Promise<ReadableStream> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(document, {
      // Readable.toWeb() throws outside every handler when the reader leaves early. Iteration joins chunks unless they
      // are objects.
      onShellReady: () => resolve(streamFrom(pipe(new PassThrough({ readableObjectMode: true })))),
      onShellError: reject,
    });
  });
}

/** The standard's `from`, which the type of the DOM library lacks. */
interface StreamsFrom {
  from(chunks: AsyncIterable<Uint8Array>): ReadableStream;
}

/** Makes a stream of the web of chunks. */
function streamFrom(chunks: AsyncIterable<Uint8Array>): ReadableStream {
  return (ReadableStream as typeof ReadableStream & StreamsFrom).from(chunks);
}
