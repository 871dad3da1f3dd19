export { analyseRun, type SampleSource } from "./analyse-run.ts";
export { createReport, type Report, terminalOptions } from "./create-report.ts";
export type * from "./data.ts";
export { renderHtml } from "./html/page.ts";
export { renderMarkdown } from "./markdown.ts";
export { renderTerminal, type TerminalOptions } from "./terminal.ts";
