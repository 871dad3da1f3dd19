export { type Alteration, type AlteredBuild, buildAlteredApp } from "./altered.ts";
export { type Build, type BundleBuild, recordBuild, type StepOptions, unrecorded } from "./build.ts";
export { type Builder, buildApp } from "./build-app.ts";
export { type BundleBuilder, bundleBuilder } from "./bundle-builder.ts";
export { closeHandler } from "./close-handler.ts";
export { type FrontOptions, putInFront } from "./put-in-front.ts";
export { forgetFailure, readBuildFailure, readBuildRecord } from "./record.ts";
export { bytesOfFolder, sizeOfFolder } from "./size.ts";
export { keepSourceMaps, type MappedFolder, readSourceMaps, type SourceMaps } from "./source-maps.ts";
