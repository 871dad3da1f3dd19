import { readFile, writeFile } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { putInFront, sizeOfFolder } from "@evenbench/bundle/deployable";
import type { DeployableSize } from "@evenbench/core";
import { accessVariables, HostError, LOOPBACK, serverEnvironment } from "@evenbench/host";
import packageJson from "../package.json" with { type: "json" };
import { type BuildOutput, readBuildOutput } from "./build-output.ts";

/** The module of the guard, in each function. */
const FRONT = "evenbench-front.mjs";

/** Puts the guard in front of all functions. @throws {HostError} where a function is not of Node.js. */
export async function closeFunctions(output: string): Promise<void> {
  const { functions, edgeFunctions, otherFunctions } = await readBuildOutput(output);
  const atEdge = [...edgeFunctions.keys()].map(
    (path) => `the function ${path}, which is for the edge runtime`,
  );
  const unguarded = [...otherFunctions, ...atEdge];
  // Nothing is deployed without the guard, and it is put in front of functions of Node.js alone.
  if (unguarded.length > 0) {
    throw new HostError(`${output} has ${unguarded.join("; ")}. Build it for Node.js.`);
  }
  for (const { directory, module } of functions) {
    const front = posix.join(posix.dirname(module), FRONT);
    const source = new URL("front.ts", import.meta.url);
    await putInFront(source, join(directory, front), basename(module));
    await changeConfiguration(directory, { handler: front });
  }
}

/** Changes the .vc-config.json of a function. */
export async function changeConfiguration(
  directory: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file = join(directory, ".vc-config.json");
  const configuration = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, `${JSON.stringify({ ...configuration, ...changes }, null, 2)}\n`);
}

/** The largest function that Vercel takes, in bytes as AWS Lambda counts ("Functions: Limits" of its documentation). */
const LIMIT_BYTES = 250 * 2 ** 20;

/**
 * Measures the largest function of a build: the limit is for each of Node.js. A build for the edge runtime alone has no
 * limit that its files say: the platform bundles them.
 *
 * @throws {HostError} where there is no function.
 */
export async function sizeOfLargestFunction(output: string): Promise<DeployableSize> {
  const { functions, edgeFunctions } = await readBuildOutput(output);
  const counted = functions.length > 0 ? functions : [...edgeFunctions.values()];
  const sizes = await Promise.all(counted.map(({ directory }) => sizeOfFolder(directory)));
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (largest === undefined) {
    throw new HostError(`There is no function in ${output}.`);
  }
  const limit = { bytes: LIMIT_BYTES, counts: "bytes", says: "250 MB a function, unpacked" } as const;
  return { ...largest, limit: functions.length > 0 ? limit : null };
}

/** The functions of a build as they are served on this machine. */
export interface ServedFunctions {
  readonly port: number;
  /** The token of their callers; null closes them to everybody, undefined leaves them open. */
  readonly token: string | null | undefined;
  /** The Node.js that runs them, such as "26.12.1". */
  readonly nodeVersion: string;
}

/** Makes the environment of functions. @throws {HostError} where two set one variable differently. */
export function functionEnvironment(
  { functions }: BuildOutput,
  { port, token, nodeVersion }: ServedFunctions,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { directory, configuration } of functions) {
    for (const [name, value] of Object.entries(configuration.environment ?? {})) {
      if (variables[name] !== undefined && variables[name] !== value) {
        throw new HostError(
          `The function ${directory} sets ${name} to "${value}", another one to "${variables[name]}". The local host serves all functions from one process: give them one value.`,
        );
      }
      variables[name] = value;
    }
  }
  return serverEnvironment({
    VERCEL: "1",
    VERCEL_ENV: "production",
    VERCEL_TARGET_ENV: "production",
    VERCEL_URL: `${LOOPBACK}:${port}`,
    VERCEL_PROJECT_PRODUCTION_URL: `${LOOPBACK}:${port}`,
    // The default region. Not the "dev1" of `vercel dev`, which launchers of frameworks take for development.
    VERCEL_REGION: "iad1",
    VERCEL_DEPLOYMENT_ID: "dpl_local",
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${nodeVersion.split(".")[0]}.x`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "2048",
    KEEP_ALIVE_TIMEOUT: "65000",
    EVENBENCH_ADAPTER: `@vercel/node ${packageJson.dependencies["@vercel/node"]}`,
    ...accessVariables(token),
    ...variables,
  });
}
