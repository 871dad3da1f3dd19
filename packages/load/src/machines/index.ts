export { collectLoad } from "./collect.ts";
export { type MachinesOptions, makeMachinesPlan } from "./make-plan.ts";
export { writeMachinesPlan } from "./write-plan.ts";
