export * from "./deploy.ts";
export * from "./deployed-targets.ts";
export * from "./deployments.ts";
export { DEFAULT_REGION } from "./name.ts";
export * from "./planned-deployment.ts";
export * from "./run-tool.ts";
