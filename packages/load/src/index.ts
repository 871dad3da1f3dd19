export { load } from "./load.ts";
export * from "./options.ts";
