import type { Expectation } from "@evenbench/probe";
import { expectedOf } from "@evenbench/probe/testing";

export { expectedOf };

/** The answer of a target that works. */
export const BODY = "All targets send the same text.\n".repeat(200);

/** The expectation of `BODY`. */
export const expected: Expectation = expectedOf(BODY);

/** Fields of the line of a request that was answered as it should be, but for its times. */
export const answered = {
  status: 200,
  instanceId: null,
  served: null,
  inFlight: null,
  edge: null,
  isChecked: true,
  error: null,
};
