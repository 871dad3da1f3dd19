export * from "#repository";
export { type CoreSplit, confineThisProcess, everyCore, oneCore, splitCores } from "./cores.ts";
export {
  discoverApps,
  discoverPlatforms,
  type LeaveOut,
  type LeftOut,
  LeftOutError,
  loadEach,
} from "./discover.ts";
export * from "./loopback.ts";
export { ownFolder, scratchFolder } from "./own-folder.ts";
export {
  type Framework,
  frameworkApp,
  inspectFlags,
  type OwnRuntime,
  ownRuntime,
  refuseV8,
  serverOf,
  sharedPortCommand,
} from "./own-runtime.ts";
export { endTree, isAlive, processTree } from "./process-tree.ts";
export type { HostCommand } from "./protocol.ts";
export { runProgram } from "./run-program.ts";
export { type OwnCommand, serveCommand } from "./serve-command.ts";
export { gitEnvironment, readSource, type Source } from "./source.ts";
export {
  accessVariables,
  claimPort,
  compileCache,
  describeFailedStarts,
  type FailedStart,
  type StartHostOptions,
  serverEnvironment,
  startAll,
  startHost,
} from "./start-host.ts";
export { quoteLog } from "./supervised.ts";
export {
  accountant,
  type ExchangeCost,
  exchangeMeter,
  type ProcessAccount,
  residentBytesOf,
  usedBetween,
} from "./usage.ts";
