export {
  type FoundService,
  findProgram,
  findService,
  howToInstall,
  missingServices,
  type RunningServices,
  startServices,
} from "./start.ts";
