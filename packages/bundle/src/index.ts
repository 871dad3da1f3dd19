export { type BuildOptions, type BuildResult, buildArtifact } from "./build-artifact.ts";
export { digestOfDirectory } from "./digest.ts";
export { discoverCases, type FoundCase } from "./discover.ts";
export type { CreateHandler, Handler, HandlerOptions } from "./handler/handler.ts";
export { type ArtifactFile, artifactDirectory, type Manifest, readManifest } from "./manifest.ts";
