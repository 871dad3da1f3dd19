export { type CollectedLoad, collectLoad } from "./collect.ts";
export { type MachinesOptions, makeMachinesPlan } from "./make-plan.ts";
export { type ReadMachinesPlan, readMachinesPlan } from "./plan.ts";
export { machinesPlayable } from "./playable.ts";
export { writeMachinesPlan } from "./write-plan.ts";
