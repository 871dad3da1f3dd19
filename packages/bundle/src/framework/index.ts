// What the apps of frameworks share: it is built into them, so web standards and `process` alone.
export * from "./cases.ts";
export * from "./instance.ts";
export * from "./page.ts";
export * from "./respond.ts";
