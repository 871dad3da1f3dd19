export { type DevelopSession, develop } from "./develop.ts";
export { NOT_TO_BE_MEASURED } from "./page.ts";
export { type DevTarget, listDevTargets } from "./targets.ts";
