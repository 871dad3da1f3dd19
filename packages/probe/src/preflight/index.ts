export * from "./format.ts";
export * from "./identity.ts";
export * from "./options.ts";
export { unknownSetting } from "./pins.ts";
export * from "./preflight.ts";
export * from "./problem.ts";
export { quote } from "./problem.ts";
export { fetchWhole } from "./response.ts";
