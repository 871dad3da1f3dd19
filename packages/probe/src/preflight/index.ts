export { expectationFrom, fetchIdentity, fetchWhole, shortestMs } from "./asking.ts";
export * from "./options.ts";
export * from "./preflight.ts";
