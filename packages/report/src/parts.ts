// What other pages and tables of the project share with the report: its words, its markup, its figures and its style.
export { plainTable } from "./across/table.ts";
export * from "./format.ts";
export { htmlDocument } from "./html/document.ts";
export { escapeText, html, Markup } from "./html/markup.ts";
export { axis, figure, plot, seriesClass, seriesStyle } from "./html/plot.ts";
export { warningList } from "./html/warnings.ts";
export { escaped } from "./markdown.ts";
export { plain, wrap } from "./terminal.ts";
