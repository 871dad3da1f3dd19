import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeHandler, sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import {
  accessVariables,
  HostError,
  inspectFlags,
  LOOPBACK,
  serverEnvironment,
  startHost,
} from "@evenbench/host";

export default definePlatform({
  title: "template-platform",
  description: "One Node.js process on this machine.",

  async serve(options) {
    const server = join(options.deployable, "server.mjs");
    if (!existsSync(server)) {
      throw new HostError(
        `There is no server.mjs in ${options.deployable}. Build it with \`npm run build\`.`,
      );
    }
    return startHost({
      ...options,
      name: "template-platform host",
      command: (port) => ({
        file: process.execPath,
        args: [...inspectFlags(options.inspectPort), ...options.v8Flags, server],
        cwd: options.deployable,
        env: serverEnvironment({
          HOST: LOOPBACK,
          PORT: String(port),
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
