import { computePage, LARGE_PAGE } from "@evenbench/complex-page";
import { renderHtml } from "@evenbench/complex-page/html";
import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "Large HTML template",
  kind: "string building",
  description:
    "The same as html-template with five times the primes and many more parts: a body of over 15 MB.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 15901647,
    sha256: "7fdc3303d07a2cd625c522c500073851cb582ef9fa28f6362c2f1e1329dc41ef",
  },
  scatter: 0.04,
  handle: () => wholeResponse(renderHtml(computePage(LARGE_PAGE)), "text/html; charset=utf-8"),
});
