export { type ServedTarget, type ServedTargets, startTargets } from "./instance.ts";
export { describeMachine } from "./machine.ts";
export * from "./options.ts";
export { planOf, usualTotal } from "./plan.ts";
export { quoteBlamedLogs } from "./prove.ts";
export { collectAccounts } from "./provider-cpu.ts";
export { run } from "./run.ts";
export {
  appIdOf,
  listTargets,
  ownServerCase,
  ownServerCommand,
  ownServerUrl,
  preflightTargetOf,
} from "./targets.ts";
