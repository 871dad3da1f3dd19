// What both scripts have of a client: no Node.js here.
import { randomBytes } from "k6/crypto";
import execution from "k6/execution";
import type { BeginLine, EndLine, LogLine } from "../lines.ts";
import { VANTAGE_NAME } from "../name.ts";

/** Where an engine passes no environment on, a user's own first line in the script gives the token. */
declare global {
  var EVENBENCH_TOKEN: string | undefined;
}

export function givenToken(): string {
  return __ENV.EVENBENCH_TOKEN || globalThis.EVENBENCH_TOKEN || "";
}

/** Of whoever starts it; on AWS the region is one. Without a name nobody could tell where it was measured. */
export function givenVantageName(needsToken: boolean): string {
  const name = __ENV.EVENBENCH_VANTAGE || __ENV.AWS_REGION || "";
  if (!VANTAGE_NAME.test(name)) {
    execution.test.abort(
      `EVENBENCH_VANTAGE is "${name}". Set it to this vantage's name: lower-case letters, digits and hyphens, such as eu.`,
    );
  }
  if (needsToken && givenToken() === "") {
    execution.test.abort("EVENBENCH_TOKEN is not set, and the targets are closed. Set it to their token.");
  }
  return name;
}

export interface Begun {
  readonly nonce: string;
  readonly startedAt: number;
}

export function begin(line: Pick<BeginLine, "plan" | "vantage" | "client" | "part" | "exchanges">): Begun {
  const bytes = Array.from(new Uint8Array(randomBytes(8)));
  const nonce = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const startedAt = Date.now();
  write({ evenbench: "begin", protocol: 1, nonce, startedAt: new Date(startedAt).toISOString(), ...line });
  return { nonce, startedAt };
}

/** By the wall clock; one that was set back never gives less than 0. */
export function elapsedMs({ startedAt }: Begun): number {
  return Math.max(0, Date.now() - startedAt);
}

export function end(begun: Begun, line: Pick<EndLine, "plan" | "exchanges" | "failed" | "stopped">): void {
  write({ evenbench: "end", nonce: begun.nonce, elapsedMs: elapsedMs(begun), ...line });
}

export function write(line: LogLine): void {
  console.log(JSON.stringify(line));
}
