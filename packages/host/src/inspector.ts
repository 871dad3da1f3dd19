import type { ServeOptions } from "@evenbench/core";
import { HostError, LOOPBACK } from "./loopback.ts";

/** Node.js' flags that open V8's inspector on a loopback port; none without a port. */
export function inspectFlags(port: number | undefined): readonly string[] {
  return port === undefined ? [] : [`--inspect=${LOOPBACK}:${port}`];
}

/** For `serve` of a platform whose runtime is not made of V8. */
export function refuseV8(runtime: string, { v8Flags, inspectPort }: ServeOptions): void {
  const asked = v8Flags.length > 0 ? `take V8's flags (${v8Flags.join(" ")})` : "open V8's inspector";
  if (v8Flags.length === 0 && inspectPort === undefined) return;
  throw new HostError(
    `${runtime} is not made of V8 and cannot ${asked}. Name the other targets with --target.`,
  );
}
