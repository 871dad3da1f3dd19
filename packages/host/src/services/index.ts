export { type FoundService, findProgram, findService, howToInstall, missingServices } from "./discover.ts";
export { type RunningServices, startServices } from "./start.ts";
