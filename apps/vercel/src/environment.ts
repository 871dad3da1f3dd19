import { accessVariables, HostError, LOOPBACK, serverEnvironment } from "@evenbench/host";
import packageJson from "../package.json" with { type: "json" };
import type { BuildOutput } from "./build-output.ts";

export function functionEnvironment(
  { functions }: BuildOutput,
  port: number,
  token: string | null | undefined,
): Record<string, string> {
  const own: Record<string, string> = {};
  for (const { directory, configuration } of functions) {
    for (const [name, value] of Object.entries(configuration.environment ?? {})) {
      if (own[name] !== undefined && own[name] !== value) {
        throw new HostError(
          `The function ${directory} sets ${name} to "${value}", another one to "${own[name]}". The local host serves all functions from one process: give them one value.`,
        );
      }
      own[name] = value;
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
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "2048",
    KEEP_ALIVE_TIMEOUT: "65000",
    EVENBENCH_ADAPTER: `@vercel/node ${packageJson.dependencies["@vercel/node"]}`,
    ...accessVariables(token),
    ...own,
  });
}
