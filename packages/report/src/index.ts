export { formatDuration } from "@evenbench/core";
export { detectable, percent } from "@evenbench/stats";
export * from "./across/compare.ts";
export * from "./across/history.ts";
export { changesOf } from "./answer.ts";
export { describeResent, openedAnew } from "./audit.ts";
export { selectCase } from "./case-report.ts";
export {
  createReport,
  type Report,
  terminalOptions,
} from "./create-report.ts";
export type * from "./data.ts";
export { resultsTable, shareText } from "./export/texts.ts";
export * from "./format.ts";
export { htmlDocument } from "./html/document.ts";
export { html, Markup } from "./html/markup.ts";
export { renderHtml } from "./html/page.ts";
export { colourMark, type Definitions, definitionList, machineEntries, noticeList } from "./html/pieces.ts";
export { axis, chart, styleOf } from "./html/plot.ts";
export { kindsOf } from "./kinds.ts";
export { markWords } from "./marks.ts";
export { byPlatform, CARD_FILE, coresOf, machineLine, processorOf, shownTargets } from "./names.ts";
export { errorNotice, gravestFirst, type Notice, warningNotice, warningsOf } from "./notice.ts";
export { coreNotices, eventNotices, recordNotices } from "./notices.ts";
export { type CpuPrice, costOfMillion } from "./prices.ts";
export { repeatCommand, shortCommand, suggestedCommands } from "./repeat.ts";
export { createSite } from "./site/site.ts";
export * from "./table.ts";
export { paintIf, renderSoFar, renderTerminal, type TerminalOptions, wrap } from "./terminal.ts";
