export { describeMachine } from "./machine.ts";
export * from "./options.ts";
export { planOf, usualTotal } from "./plan.ts";
export { collectAccounts } from "./provider-cpu.ts";
export { run } from "./run.ts";
export * from "./serve.ts";
export { appIdOf, listTargets, ownServerCase, ownServerCommand, ownServerUrl } from "./targets.ts";
export { preflightTargetOf, quoteBlamedLogs } from "./verify.ts";
