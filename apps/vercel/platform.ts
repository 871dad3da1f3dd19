import { definePlatform } from "@evenbench/core";
import { inspectFlags, startHost } from "@evenbench/host";
import { readBuildOutput } from "./src/build-output.ts";
import { closeFunctions } from "./src/close.ts";
import { deployment } from "./src/deploy.ts";
import { functionEnvironment } from "./src/environment.ts";
import { checkFunctionSizes, sizeOfLargestFunction } from "./src/function-size.ts";
import { instanceFile } from "./src/instance-file.ts";

export default definePlatform({
  title: "Vercel Functions",
  shortTitle: "Vercel Function",
  description:
    "A Build Output API folder on this machine, through the platform's own adapter; one process an instance.",

  // bundling-handler.js of @vercel/node loops over the body and never looks at the connection.
  readsAbandonedBodies: true,

  async serve(options) {
    const flags = [...inspectFlags(options.inspectPort), ...options.v8Flags];
    const output = await readBuildOutput(options.deployable);
    await checkFunctionSizes(options.deployable);
    const instance = await instanceFile();
    return startHost({
      ...options,
      name: "vercel host",
      command: (port) => ({
        file: process.execPath,
        args: [...flags, instance, options.deployable, String(port)],
        cwd: options.deployable,
        env: { ...functionEnvironment(output, port, options.token), ...options.environment },
      }),
    });
  },

  close: closeFunctions,

  deployment,

  size: sizeOfLargestFunction,
});
