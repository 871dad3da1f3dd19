export { type CollectedLoad, collectLoad } from "./collect.ts";
export { type MachinesOptions, makeMachinesPlan } from "./make-plan.ts";
export { machinesPlayable } from "./playable.ts";
export { type ReadMachinesPlan, readMachinesPlan } from "./read-plan.ts";
export { writeMachinesPlan } from "./write-plan.ts";
