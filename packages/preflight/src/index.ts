export * from "./format.ts";
export * from "./identity.ts";
export * from "./preflight.ts";
export * from "./problem.ts";
export type { FetchOptions } from "./response.ts";
