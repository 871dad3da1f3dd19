import { volatile } from "@evenbench/core";
import type { PageData, PageItem, PageSection } from "./page.ts";

/** Style of a prime number of an item. */
const CHIP =
  "display:inline-block;padding:4px 8px;margin:2px;border-radius:4px;background:#e8f1ee;color:#17423a;font-size:12px;text-align:center";
/** Style of a Fibonacci number. */
const NUMBER =
  "display:inline-block;padding:4px 8px;margin:2px;border-radius:4px;background:#f3eee2;color:#4d3a12;font-size:12px;font-weight:500;text-align:center";
/** Style of a line of facts. */
const FIELD = "display:block;padding:2px 0";
/** Style of a cell of the table of factorials. */
const CELL =
  "display:inline-block;width:120px;padding:8px;margin:3px;border:1px solid #d5dbe1;border-radius:6px";

/** Renders the document as one text by template literals, without any library. */
export function renderHtml(page: PageData): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Complex page</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;color:#1d2329;background:#ffffff">
<header style="padding:16px;border-bottom:2px solid #17423a">
<h1 style="margin:0;font-size:28px">Numbers on a page</h1>
<p style="${FIELD}">Primes found: <strong>${page.primeCount}</strong></p>
<p style="${FIELD}">Fibonacci numbers: <strong>${page.fibonacci.length}</strong>, on average ${page.fibonacciAverage}</p>
<p style="${FIELD}">Parts: <strong>${page.sections.length}</strong></p>
</header>
<main>
${page.sections.map((section) => renderSection(section, page.fibonacci)).join("\n")}
<section style="padding:16px">
<h2 style="font-size:20px">Factorials</h2>
${page.cells
  .map(
    ({ n, factorial }) =>
      `<div style="${CELL}"><strong style="display:block;font-size:14px">${n}</strong><span style="font-size:12px">${factorial}</span></div>`,
  )
  .join("\n")}
</section>
</main>
<footer style="padding:16px;font-size:12px">Rendered at ${volatile(page.renderedAt)}</footer>
</body>
</html>
`;
}

function renderSection(section: PageSection, fibonacci: readonly number[]): string {
  return `<section style="padding:16px;border-bottom:1px solid #d5dbe1">
<h2 style="font-size:20px">Part ${section.index + 1}</h2>
<h3 style="font-size:15px">Primes</h3>
<div>${section.primes.map((prime) => `<span style="${CHIP}">${prime}</span>`).join("")}</div>
<h3 style="font-size:15px">Fibonacci numbers</h3>
<div>${fibonacci.map((number, index) => `<span style="${NUMBER}">F${index} = ${number}</span>`).join("")}</div>
<h3 style="font-size:15px">Entries</h3>
<ul style="list-style:none;margin:0;padding:0">
${section.items.map(renderItem).join("\n")}
</ul>
</section>`;
}

function renderItem(item: PageItem): string {
  const growth = item.growth === null ? "" : `<span style="${FIELD}">Growth: ${item.growth}</span>`;
  return `<li style="padding:10px;margin:6px 0;border:1px solid #d5dbe1;border-radius:6px"><strong style="font-size:14px">Entry ${item.index}</strong><p style="${FIELD}">${item.description}</p><span style="${FIELD}">Root: ${item.root}</span><span style="${FIELD}">Code: ${item.code}</span><span style="${FIELD}">Wave: ${item.wave}</span>${growth}<time style="${FIELD}">At ${volatile(item.timestamp)}</time></li>`;
}
