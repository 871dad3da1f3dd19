export { deployTargets, refuseWithoutCredentials } from "./deploy.ts";
export * from "./deployed-targets.ts";
export {
  type Deployment,
  type Deployments,
  readDeployments,
  withDeployment,
  writeDeployments,
} from "./deployments.ts";
export * from "./destroy.ts";
export { type PlannedDeployment, planDeployments } from "./planned-deployment.ts";
export * from "./region.ts";
export * from "./run-tool.ts";
export * from "./wait-for-build.ts";
