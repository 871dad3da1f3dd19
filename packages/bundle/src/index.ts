export {
  type BuildOptions,
  type BuildResult,
  buildArtifact,
  forgetLeftOut,
  readLeftOut,
} from "./build-artifact.ts";
export { type CaseFailure, type FoundCase, whyNoCaseId } from "./discover.ts";
export type { CreateHandler, Handler, HandlerOptions } from "./handler/identity.ts";
export {
  type ArtifactFile,
  artifactDirectory,
  DIGEST_FILE,
  digestOfDirectory,
  type Manifest,
  readManifest,
} from "./manifest.ts";
