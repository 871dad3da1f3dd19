export { type Build, recordBuild, type StepOptions, unrecorded } from "./build.ts";
export { exclusively } from "./exclusive.ts";
export { forgetFailure, readBuildFailure, readBuildRecord } from "./record.ts";
export { bytesOfFolder, type FolderSize, sizeOfFolder } from "./size.ts";
