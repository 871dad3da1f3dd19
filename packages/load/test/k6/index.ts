export * from "./answers.ts";
export * from "./counting-server.ts";
export * from "./installed.ts";
