export { type Answer, type RecordedRequest, type Recorder, startRecorder } from "./recorder.ts";
export { serveDeployed, useDeployments } from "./use-deployments.ts";
