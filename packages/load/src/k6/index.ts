export { K6_VERSION } from "../../get-k6.mjs";
export * from "./bounded-pattern.ts";
export * from "./bundle-script.ts";
export { k6Engine } from "./engine.ts";
export * from "./lines.ts";
export * from "./logs.ts";
export * from "./name.ts";
export * from "./program.ts";
export * from "./rate.ts";
