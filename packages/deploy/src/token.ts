import { randomBytes } from "node:crypto";
import { isToken, TOKEN_RULE, TOKEN_VARIABLE } from "@evenbench/core";
import { DeployError, type Deployments } from "./deployments.ts";

export function givenToken(environment: Readonly<Record<string, string | undefined>>): string | null {
  const given = environment[TOKEN_VARIABLE];
  if (given === undefined || given === "") return null;
  if (isToken(given)) return given;
  throw new DeployError(`${TOKEN_VARIABLE} is no token: it must have ${TOKEN_RULE}.`);
}

export interface TokenChoice {
  readonly token: string;
  readonly kept: string | null;
}

/** The token for deployments: the user's, which is not kept; else the one that is kept; else a new one.  */
export function chooseToken(
  environment: Readonly<Record<string, string | undefined>>,
  { token }: Pick<Deployments, "token">,
  staying: number,
): TokenChoice {
  const given = givenToken(environment);
  if (given === null) {
    if (token === null && staying > 0) throw new DeployError(NOT_GIVEN_AGAIN);
    const kept = token ?? randomBytes(32).toString("hex");
    return { token: kept, kept };
  }
  if (token !== null && token !== given && staying > 0) throw new DeployError(GIVEN_ANOTHER);
  return { token: given, kept: token === given ? token : null };
}

const ALL_AT_ONCE = "or deploy all of them at once.";
const NOT_GIVEN_AGAIN = `What is deployed was given its token by ${TOKEN_VARIABLE}, and it is not kept. Set ${TOKEN_VARIABLE} to the same one, ${ALL_AT_ONCE}`;
const GIVEN_ANOTHER = `What is deployed has the token that stands in deployments.json, and ${TOKEN_VARIABLE} is another. Unset ${TOKEN_VARIABLE}, ${ALL_AT_ONCE}`;
