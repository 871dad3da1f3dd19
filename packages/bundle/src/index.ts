export * from "./build-artifact.ts";
export { type FoundCase, whyNoCaseId } from "./discover.ts";
export type { CreateHandler, Handler, HandlerOptions } from "./handler/identity.ts";
export * from "./manifest.ts";
export { placeInSources } from "./place-in-sources.ts";
