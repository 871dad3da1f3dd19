// What other pages than the report are made of, so that all of them look alike.
export { plainTable } from "./across/table.ts";
export * from "./format.ts";
export { htmlDocument } from "./html/document.ts";
export { escapeText, html, Markup } from "./html/markup.ts";
export { axis, figure, plot, seriesStyle } from "./html/plot.ts";
export { escaped } from "./markdown.ts";
export { plain, wrap } from "./terminal.ts";
