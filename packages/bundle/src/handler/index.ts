// What the build output of an app imports: web standards alone, nothing of the build.
export * from "./handler.ts";
export { type Instance, newInstance } from "./instance.ts";
