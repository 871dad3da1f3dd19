export * from "./line.ts";
export * from "./plan.ts";
