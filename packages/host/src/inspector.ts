import { LOOPBACK } from "./loopback.ts";

/** Node.js' flags that open V8's inspector on a loopback port; none without a port. */
export function inspectFlags(port: number | undefined): readonly string[] {
  return port === undefined ? [] : [`--inspect=${LOOPBACK}:${port}`];
}
