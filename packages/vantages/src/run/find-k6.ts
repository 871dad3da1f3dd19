import { access } from "node:fs/promises";
import { UserError } from "@evenbench/core";
import { findProgram } from "@evenbench/host/services";
import { cachedK6, K6_VERSION } from "../../get-k6.mjs";

/** How to get k6, in a line. */
export const HOW_TO_GET_K6 = `k6 is not installed. Get it at https://grafana.com/docs/k6/latest/set-up/install-k6/ (tried: ${K6_VERSION}) and name it by K6=<path>; or with Go installed build it: node packages/vantages/get-k6.mjs`;

/**
 * The k6 of this machine: what K6 names, else the one on the PATH, else the one that was built into the
 * cache.
 */
export async function findK6(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const named = environment.K6;
  if (named !== undefined && named !== "") {
    const path = await findProgram(named);
    if (path !== null) return path;
    throw new UserError(`K6 is "${named}", and no program is there. Set it to the path of k6, or unset it.`);
  }
  return (await findProgram("k6")) ?? (await whereThere(cachedK6()));
}

async function whereThere(path: string): Promise<string | null> {
  return access(path).then(
    () => path,
    () => null,
  );
}
