export {
  type BuildOptions,
  type BuildResult,
  buildArtifact,
  forgetLeftOut,
  readLeftOut,
} from "./build-artifact.ts";
export { DIGEST_FILE, digestOfDirectory } from "./digest.ts";
export { type CaseFailure, type FoundCase, whyNoCaseId } from "./discover.ts";
export type { CreateHandler, Handler, HandlerOptions } from "./handler/case-index.ts";
export { type ArtifactFile, artifactDirectory, type Manifest, readManifest } from "./manifest.ts";
