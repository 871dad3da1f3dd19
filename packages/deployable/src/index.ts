export { type Build, type BundleBuild, recordBuild, type StepOptions, unrecorded } from "./build.ts";
export { type Builder, buildApp } from "./build-app.ts";
export { type BundleBuilder, bundleBuilder } from "./bundle-builder.ts";
export { forgetFailure, readBuildFailure, readBuildRecord } from "./record.ts";
export { bytesOfFolder, sizeOfFolder } from "./size.ts";
