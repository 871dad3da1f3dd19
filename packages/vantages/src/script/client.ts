// What both scripts have of a client: no Node.js here.
import { randomBytes } from "k6/crypto";
import execution from "k6/execution";
import type { LogLine } from "../lines.ts";
import { VANTAGE_NAME } from "../name.ts";

/** Where an engine passes no environment on, a user's own first line in the script gives the token. */
declare global {
  var EVENBENCH_TOKEN: string | undefined;
}

export function givenToken(): string {
  return __ENV.EVENBENCH_TOKEN || globalThis.EVENBENCH_TOKEN || "";
}

/**
 * Its name comes from whoever starts it; on AWS the region is one. A test without a name is ended: nobody
 * could tell where it was measured.
 */
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

export function drawNonce(): string {
  const bytes = new Uint8Array(randomBytes(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function write(line: LogLine): void {
  console.log(JSON.stringify(line));
}
