import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeHandler, sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import {
  accessVariables,
  HostError,
  LOOPBACK,
  ownRuntime,
  refuseV8,
  serverEnvironment,
  sharedPortCommand,
  startHost,
} from "@evenbench/host";

const bun = ownRuntime("Bun", join(import.meta.dirname, "runtime"), "bin/bun");

/** Nothing of the caller's own: no package from the registry for an import that is not found, no .env file. */
const FLAGS = ["--no-install", "--no-env-file"];

export default definePlatform({
  title: "Bun",
  description: "Bun.serve on this machine, on JavaScriptCore.",
  offUnlessNamed: true,
  missing: bun.missing,

  // Its parser of HTTP takes a request line that it cannot read, bytes outside of ASCII included, for one of
  // another version.
  refusesWith505: true,
  // Bun.serve writes the length of the empty Response that answers HEAD.
  headSaysEmpty: true,

  async serve(options) {
    refuseV8("Bun", options);
    const server = join(options.deployable, "server.mjs");
    if (!existsSync(server)) {
      throw new HostError(
        `There is no server.mjs in ${options.deployable}. Build it with \`npm run build\`.`,
      );
    }
    const file = bun.program();
    return startHost({
      ...options,
      name: "bun host",
      command: (port) => ({
        ...sharedPortCommand({ file, args: ["run", ...FLAGS, server] }, options.workers),
        cwd: options.deployable,
        env: serverEnvironment({
          HOST: LOOPBACK,
          PORT: String(port),
          EVENBENCH_WORKERS: String(options.workers),
          DO_NOT_TRACK: "1",
          ...options.environment,
          ...accessVariables(options.token),
        }),
      }),
    });
  },

  // Puts the guard in front: where it is deployed, it serves only callers with the token.
  close: (deployable) => closeHandler(join(deployable, "handler.mjs")),

  size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
});
