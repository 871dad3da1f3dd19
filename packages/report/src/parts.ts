export { formatDuration } from "@evenbench/core";
export { detectable, percent } from "@evenbench/stats";
export { changesOf } from "./answer.ts";
// What other pages and tables of the project share with the report.
export * from "./format.ts";
export { htmlDocument } from "./html/document.ts";
export { html, Markup } from "./html/markup.ts";
export { colourMark, type Definitions, definitionList, machineEntries, noticeList } from "./html/pieces.ts";
export { axis, figure, plot, seriesStyle } from "./html/plot.ts";
export { byPlatform, coresOf, machineLine, platformColours } from "./names.ts";
export { eventNotices, gravestFirst, recordNotices } from "./notices.ts";
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
