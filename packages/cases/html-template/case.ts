import { computePage } from "@evenbench/complex-page";
import { renderHtml } from "@evenbench/complex-page/html";
import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "HTML template",
  kind: "string building",
  description:
    "Computes the complex page and writes it with template strings: plain JavaScript, no framework.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 2318769,
    sha256: "f3c0518fc9a232184c98b7e498d1cf94f363c666b6db385b9d144882646bdc1c",
  },
  scatter: 0.05,
  handle: () => wholeResponse(renderHtml(computePage()), "text/html; charset=utf-8"),
});
