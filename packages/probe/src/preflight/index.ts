export { expectationFrom, fetchIdentity, fetchWhole, shortestMs } from "./asking.ts";
export * from "./options.ts";
export { unknownSetting } from "./pins.ts";
export * from "./preflight.ts";
