export * from "./access.ts";
export * from "./app.ts";
export * from "./basics.ts";
export * from "./case.ts";
export * from "./identity.ts";
export * from "./marks.ts";
export * from "./mask.ts";
export * from "./parameters.ts";
export * from "./platform.ts";
export { type ProblemParts, problemResponse, wholeResponse } from "./response.ts";
export type {
  BodyRules,
  BuildRecord,
  BuildStep,
  CaseManifest,
  CpuPrice,
  DeployableSize,
  Golden,
  Identity,
  PageTraits,
  Parameter,
  PlatformRecord,
  ProviderAccount,
  RequestRecord,
} from "./schema.ts";
