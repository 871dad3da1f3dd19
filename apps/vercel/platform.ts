import { fileURLToPath } from "node:url";
import { definePlatform } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost, TYPE_STRIPPING } from "@evenbench/host";
import packageJson from "./package.json" with { type: "json" };
import { readBuildOutput } from "./src/build-output.ts";
import { checkFunctionSizes, sizeOfLargestFunction } from "./src/function-size.ts";

const INSTANCE = fileURLToPath(new URL("src/instance.ts", import.meta.url));

export default definePlatform({
  title: "Vercel Functions",
  description:
    "A Build Output API folder on this machine, through the platform's own adapter; one process an instance.",

  // bundling-handler.js of @vercel/node loops over the body and never looks at the connection.
  readsAbandonedBodies: true,

  async serve(options) {
    await readBuildOutput(options.deployable);
    await checkFunctionSizes(options.deployable);
    return startHost({
      ...options,
      name: "vercel host",
      command: (port) => ({
        file: process.execPath,
        args: [...TYPE_STRIPPING, ...options.v8Flags, INSTANCE, options.deployable, String(port)],
        cwd: options.deployable,
        env: serverEnvironment(functionEnvironment(port)),
      }),
    });
  },

  size: sizeOfLargestFunction,
});

/** Vercel documentation, "System environment variables", and what its Node.js runtime inherits from AWS Lambda. */
function functionEnvironment(port: number): Record<string, string> {
  return {
    VERCEL: "1",
    VERCEL_ENV: "production",
    VERCEL_TARGET_ENV: "production",
    VERCEL_URL: `${LOOPBACK}:${port}`,
    // The default region. Not the "dev1" of `vercel dev`, which launchers of frameworks take for development.
    VERCEL_REGION: "iad1",
    VERCEL_DEPLOYMENT_ID: "dpl_local",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "2048",
    KEEP_ALIVE_TIMEOUT: "65000",
    EVENBENCH_ADAPTER: `@vercel/node ${packageJson.dependencies["@vercel/node"]}`,
  };
}
