export * from "./asking.ts";
export { fetchWhole } from "./asking.ts";
export * from "./format.ts";
export * from "./options.ts";
export * from "./options.ts";
export { quote } from "./options.ts";
export { unknownSetting } from "./pins.ts";
export * from "./preflight.ts";
