import { computePage } from "@evenbench/complex-page";
import { ComplexDocument } from "@evenbench/complex-page/react";
import { defineCase, wholeResponse } from "@evenbench/core";
import { act, createElement, version } from "react";
import { renderToString } from "react-dom/server.edge";

export default defineCase({
  title: "React, to a string",
  kind: "React",
  description:
    "Renders the complex page, about 19,000 React elements with inline styles, with renderToString.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 1984636,
    sha256: "03dcc049850c74239eedb91bd1db252c57875d2a3cf66fef3c21283419e9c9d6",
  },
  headline: "lastByteMs",
  warmAfter: { cloudflare: 160, node: 56, vercel: 80 },
  // React's production build has no `act`: what runs is asked, not what was configured.
  pins: () => ({ react: version, reactBuild: act === undefined ? "production" : "development" }),
  handle() {
    const html = renderToString(createElement(ComplexDocument, { data: computePage() }));
    return wholeResponse(`<!DOCTYPE html>${html}`, "text/html; charset=utf-8");
  },
});
