export * from "./across/compare.ts";
export * from "./across/history.ts";
export * from "./across/render-compare.ts";
export { analyseRun, type SampleSource } from "./analyse-run.ts";
export { createReport, exportHyperfine, type Report, terminalOptions } from "./create-report.ts";
export type * from "./data.ts";
export { renderHtml } from "./html/page.ts";
export { renderMarkdown } from "./markdown.ts";
export { renderTerminal, type TerminalOptions } from "./terminal.ts";
