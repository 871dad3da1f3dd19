import { randomBytes } from "node:crypto";
import { isToken, TOKEN_RULE, TOKEN_VARIABLE } from "@evenbench/core";
import type { Deployments } from "./deployments.ts";
import { DeployError } from "./error.ts";

/** The token that a user gave by EVENBENCH_TOKEN; null without one. @throws {DeployError} when it is none. */
export function givenToken(environment: Readonly<Record<string, string | undefined>>): string | null {
  const given = environment[TOKEN_VARIABLE];
  if (given === undefined || given === "") return null;
  if (isToken(given)) return given;
  throw new DeployError(`${TOKEN_VARIABLE} is no token: it must have ${TOKEN_RULE}.`);
}

/** The token for deployments: the user's, which is not kept; else the one that is kept; else a new one. */
export function chooseToken(
  environment: Readonly<Record<string, string | undefined>>,
  { token }: Deployments,
): { readonly token: string; readonly kept: string | null } {
  const given = givenToken(environment);
  if (given !== null) return { token: given, kept: token };
  const kept = token ?? randomBytes(32).toString("hex");
  return { token: kept, kept };
}
