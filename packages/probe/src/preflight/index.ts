export { fetchIdentity, fetchWhole } from "./asking.ts";
export * from "./options.ts";
export * from "./preflight.ts";
export { unknownSetting } from "./settings.ts";
