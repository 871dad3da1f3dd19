export * from "./numbers.ts";
export * from "./page.ts";
