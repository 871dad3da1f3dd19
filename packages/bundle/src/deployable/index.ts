export {
  type Build,
  type BundleBuild,
  forgetFailure,
  readBuildFailure,
  readBuildRecord,
  recordBuild,
  type StepOptions,
  unrecorded,
} from "./build.ts";
export { type Alteration, type AlteredBuild, type Builder, buildAlteredApp, buildApp } from "./build-app.ts";
export { type BundleBuilder, buildBundle, bundleBuilder, serverBuilder } from "./bundle-builder.ts";
export { closeHandler, type FrontOptions, putInFront } from "./close-handler.ts";
export { serverPlatform } from "./server-platform.ts";
export { bytesOfFolder, sizeOfFolder } from "./size.ts";
export { keepSourceMaps, type MappedFolder, readSourceMaps, type SourceMaps } from "./source-maps.ts";
