export { type Answer, type RecordedRequest, type Recorder, startRecorder } from "./recorder.ts";
export { useDeployments } from "./use-deployments.ts";
