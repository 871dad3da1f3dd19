export * from "./across/compare.ts";
export * from "./across/history.ts";
export { analyseRun, type SampleSource } from "./analyse-run.ts";
export { fitMetrics } from "./case-report.ts";
export {
  createCaseCards,
  createReport,
  exportHyperfine,
  type Report,
  terminalOptions,
} from "./create-report.ts";
export type * from "./data.ts";
export { resultsTable, shareText } from "./export/texts.ts";
export { renderHtml } from "./html/page.ts";
export { renderMarkdown } from "./markdown.ts";
export { type CpuPrice, costOfMillion, costOn, pricesOf, readPrices } from "./prices.ts";
export { mendingCommands, repeatCommand } from "./repeat.ts";
export { createSite, type Site, type SiteOptions } from "./site/site.ts";
export { markdownTable, type Table } from "./table.ts";
export { renderSoFar, renderTerminal, type TerminalOptions } from "./terminal.ts";
