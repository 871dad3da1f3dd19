export { formatDuration } from "@evenbench/core";
export { VERDICTS } from "@evenbench/stats";
// What other pages and tables of the project share with the report: its words, its markup, its figures and its style.
export * from "./format.ts";
export { colourMark } from "./html/colour-mark.ts";
export { type Definitions, definitionList, machineEntries } from "./html/definitions.ts";
export { htmlDocument } from "./html/document.ts";
export { html, Markup } from "./html/markup.ts";
export { axis, figure, plot, seriesStyle } from "./html/plot.ts";
export { warningList } from "./html/warnings.ts";
export { coresOf, machineLine } from "./machine-words.ts";
export { byPlatform, platformColours } from "./platform-colour.ts";
export {
  type Cell,
  csvTable,
  escaped,
  htmlTable,
  markdownTable,
  type Table,
  textTable,
} from "./table.ts";
export { wrap } from "./terminal.ts";
export { PREFLIGHT_KINDS } from "./warnings.ts";
