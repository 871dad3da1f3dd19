export * from "#repository";
export {
  confinedCommand,
  confineThisProcess,
  countCores,
  everyCore,
  oneCore,
  splitCores,
} from "./cores.ts";
export * from "./discover.ts";
export { eachAtATime } from "./each-at-a-time.ts";
export { entriesBelow } from "./entries-below.ts";
export * from "./environment.ts";
export { type Framework, frameworkApp } from "./framework-app.ts";
export { linesOfLog, quoteLog } from "./host-log.ts";
export { processLimits, readThrottling, throttledBetween } from "./limits.ts";
export { isOpenToOthers } from "./listening.ts";
export * from "./loopback.ts";
export { findNodeProgram, servingNode } from "./node-program.ts";
export * from "./own-folder.ts";
export { isAlive, processTree, startedWith, startMarkOf } from "./process-tree.ts";
export type { HostCommand } from "./protocol.ts";
export { answers } from "./readiness.ts";
export { type EndedProgram, runProgram } from "./run-program.ts";
export * from "./runtimes.ts";
export { inShell, type OwnCommand, serveCommand } from "./serve-command.ts";
export { askGit, gitEnvironment, readSource, webAddress } from "./source.ts";
export * from "./start-host.ts";
export { compileCache, type SupervisedCommand, superviseCommand } from "./supervised.ts";
export { TEXT_ENDINGS } from "./text-imports.ts";
export * from "./usage.ts";
