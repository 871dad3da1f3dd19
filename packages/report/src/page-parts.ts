// What other pages than the report are made of, so that all of them look alike.
export * from "./format.ts";
export { htmlDocument } from "./html/document.ts";
export { html, type Markup } from "./html/markup.ts";
export { escaped } from "./markdown.ts";
export { plain, wrap } from "./terminal.ts";
