// What the build output of an app imports: web standards alone, nothing of the build.
export * from "./case-index.ts";
export * from "./handler.ts";
export { type InstanceCounts, newInstance } from "./instance.ts";
