export * from "./collect/index.ts";
export * from "./protocol/index.ts";
