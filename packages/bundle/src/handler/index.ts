// What the build output of an app imports: web standards alone, nothing of the build.
export { makeCreateHandler } from "./handler.ts";
export {
  type CaseIndex,
  type Handler,
  type IndexedCase,
  type InstanceCounts,
  newInstance,
} from "./identity.ts";
