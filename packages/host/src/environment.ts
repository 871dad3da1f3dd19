import { ACCESS_VARIABLE, OPEN_ACCESS, TOKEN_VARIABLE } from "@evenbench/core";

/** What a process needs to run at all; nothing in it changes what a server computes. */
const KEPT = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];

/**
 * The environment of a served runtime: production, UTC, and none of the caller's own settings, so that
 * NODE_OPTIONS, locale or debug variables of a shell cannot change what is measured.
 */
export function serverEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of KEPT) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, NODE_ENV: "production", TZ: "UTC", ...extra };
}

/** The variables that open a server on the loopback interface, or close it as `ServeOptions.token` says. */
export function accessVariables(token: string | null | undefined): Record<string, string> {
  if (token === undefined) return { [ACCESS_VARIABLE]: OPEN_ACCESS };
  return token === null ? {} : { [TOKEN_VARIABLE]: token };
}
