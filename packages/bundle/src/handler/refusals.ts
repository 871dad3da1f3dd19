import { type ParameterProblem, problemResponse, serviceVariable } from "@evenbench/core";

export function methodNotAllowed(method: string): Response {
  const detail = `Cases are read with GET or HEAD, not ${method.slice(0, 20)}.`;
  const response = problemResponse(405, "Method not allowed", detail);
  response.headers.set("allow", "GET, HEAD");
  return response;
}

export function noSuchCase(path: string, cases: readonly string[]): Response {
  const detail = `There is nothing at ${JSON.stringify(path.slice(0, 80))}. Cases: ${cases.join(", ")}.`;
  return problemResponse(404, "No such case", detail, { cases });
}

export function badParameter({ detail, parameter, bounds }: ParameterProblem): Response {
  return problemResponse(400, "Bad parameter", detail, { parameter, bounds });
}

export function serviceMissing(caseId: string, services: readonly string[]): Response {
  const variables = services.map(serviceVariable).join(", ");
  const detail = `"${caseId}" talks to ${services.join(", ")}, and this target does not know where that is: set ${variables} to host:port where it is started.`;
  return problemResponse(503, "Service missing", detail, { case: caseId, services });
}

/** The stack goes to the log of the instance, not to the client. */
export function caseFailed(caseId: string, instanceId: string, error: unknown): Response {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`evenbench: case "${caseId}" threw in instance ${instanceId}: ${stack}`);
  const detail = `The handler of "${caseId}" threw. The stack is in the log of instance ${instanceId}.`;
  return problemResponse(500, "The case failed", detail, { case: caseId });
}
