import { existsSync } from "node:fs";
import { join } from "node:path";
import { definePlatform } from "@evenbench/core";
import { sizeOfFolder } from "@evenbench/deployable";
import { HostError, LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";

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
        args: [...options.v8Flags, server],
        cwd: options.deployable,
        env: serverEnvironment({ HOST: LOOPBACK, PORT: String(port) }),
      }),
    });
  },

  // Where it is to be deployed for others to reach, put the guard of @evenbench/core in front of the server here.
  close: async () => {},

  size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
});
