export { type Answer, type RecordedRequest, type Recorder, startRecorder } from "./recorder.ts";
export { appsBuiltFor, serveDeployed, testRepetition, useDeployments } from "./use-deployments.ts";
