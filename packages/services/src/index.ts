export { type FoundService, findService, howToInstall, missingServices } from "./discover.ts";
export { type RunningServices, ServiceError, startServices } from "./start.ts";
