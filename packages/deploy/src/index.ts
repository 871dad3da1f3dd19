export {
  type DestroyOptions,
  deployTargets,
  destroyDeployments,
  refuseWithoutCredentials,
} from "./deploy.ts";
export * from "./deployed-targets.ts";
export {
  type Deployment,
  type Deployments,
  readDeployments,
  withDeployment,
  writeDeployments,
} from "./deployments.ts";
export { DEFAULT_REGION } from "./name.ts";
export { describeCosts, type PlannedDeployment, planDeployments } from "./planned-deployment.ts";
export * from "./run-tool.ts";
