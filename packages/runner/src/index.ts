export { describeMachine } from "./machine.ts";
export * from "./options.ts";
export { collectAccounts } from "./provider-cpu.ts";
export { run } from "./run.ts";
export { planOf } from "./run-plan.ts";
export * from "./serve.ts";
export { strangerCase, strangerCommand, strangerUrl } from "./strangers.ts";
export { appIdOf, listTargets } from "./targets.ts";
export { preflightTargetOf } from "./verify.ts";
