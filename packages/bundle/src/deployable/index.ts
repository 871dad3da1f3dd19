export {
  type Build,
  type BundleBuild,
  type BundleBuilder,
  buildBundle,
  bundleBuilder,
  forgetFailure,
  readBuildFailure,
  readBuildRecord,
  recordBuild,
  type StepOptions,
  serverBuilder,
  unrecorded,
} from "./build.ts";
export { type Alteration, type AlteredBuild, type Builder, buildAlteredApp, buildApp } from "./build-app.ts";
export {
  bytesOfFolder,
  closeHandler,
  type FrontOptions,
  putInFront,
  serverPlatform,
  sizeOfFolder,
} from "./server-platform.ts";
export { keepSourceMaps, type MappedFolder, readSourceMaps, type SourceMaps } from "./source-maps.ts";
