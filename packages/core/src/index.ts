export * from "./access.ts";
export * from "./app.ts";
export * from "./case.ts";
// The schema of a manifest has the same name.
export { caseManifest } from "./case.ts";
export * from "./errors.ts";
export * from "./identity.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./marks.ts";
export * from "./mask.ts";
export * from "./own-app.ts";
export * from "./parameters.ts";
export * from "./platform.ts";
export * from "./records.ts";
export * from "./response.ts";
export type * from "./schema.ts";
export * from "./shell.ts";
export * from "./text.ts";
