export { fetchIdentity } from "./asking.ts";
export * from "./options.ts";
export * from "./preflight.ts";
export { unknownSetting } from "./settings.ts";
export { fetchWhole } from "./whole-response.ts";
