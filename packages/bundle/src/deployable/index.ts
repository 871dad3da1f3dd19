export { filesOf } from "../manifest.ts";
export {
  type Build,
  type BundleBuild,
  type BundleBuilder,
  buildBundle,
  bundleBuilder,
  bundleEntries,
  forgetFailure,
  readBuildFailure,
  readBuildRecord,
  recordBuild,
  type StepOptions,
  serverBuilder,
  unrecorded,
} from "./build.ts";
export { type Alteration, type Builder, buildAlteredApp, buildApp } from "./build-app.ts";
export {
  bytesOfFolder,
  putInFront,
  replaceByFront,
  serverPlatform,
  sizeOfFolder,
} from "./server-platform.ts";
export { keepSourceMaps, type MappedFolder, readSourceMaps, type SourceMaps } from "./source-maps.ts";
