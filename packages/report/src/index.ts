export {
  type AbsentPair,
  factsOfStates,
  type MeasuredPair,
  type OtherWork,
  type PairedTarget,
  type StatePart,
} from "./across/against.ts";
export { type CompareOptions, compareRuns } from "./across/compare.ts";
export {
  type Asked,
  type FailOn,
  failing,
  type GateResult,
  gate,
  notCompared,
  smallestFound,
  type Unmeasured,
  wasCompared,
} from "./across/gate.ts";
export { type Limited, limited, type StateLimit } from "./across/limits.ts";
export { openedAnew } from "./audit.ts";
export { createReport, type WrittenReport } from "./create-report.ts";
export type { Details } from "./facts/details.ts";
export type { Answer, Change, Facts, Level, Load, Metric, Notice } from "./facts/facts.ts";
export { type LoadFindings, makeLoadFacts } from "./facts/load-facts.ts";
export { noticeAt } from "./facts/notices.ts";
export { heldAgainstFile, type ReadFacts, readFacts, readStoredFacts } from "./facts/read-facts.ts";
export { levelIn } from "./facts/rows.ts";
export { machineFacts } from "./facts/run-facts.ts";
export { factsSoFar } from "./facts/so-far.ts";
export type { Judged } from "./facts/trends.ts";
export { EXPORTS, MARKDOWN_FILE } from "./media/index.ts";
export { type ConditionTest, conditionTest, type TestSuite } from "./media/junit.ts";
export { loadTerminal } from "./media/load.ts";
export { loadPage } from "./media/page/load.ts";
export { machineEntries } from "./media/page/settings.ts";
export { readme } from "./media/readme.ts";
export { share } from "./media/share.ts";
export { soFar } from "./media/so-far.ts";
export { simulatedNotes } from "./media/target-tables.ts";
export { terminal } from "./media/terminal.ts";
export { coldTargetWords } from "./words/cold.ts";
export { caseName } from "./words/columns.ts";
export { type CommandChange, commandOf } from "./words/command.ts";
export { cautionLines, stateLines } from "./words/head.ts";
export { loadWords } from "./words/loads.ts";
export { amount } from "./words/metrics.ts";
export { machineWords } from "./words/names.ts";
export { cell } from "./words/notation.ts";
export { noticeLine } from "./words/notices.ts";
export { usdOfCpu } from "./words/prices.ts";
export { verdictWords } from "./words/trends.ts";
