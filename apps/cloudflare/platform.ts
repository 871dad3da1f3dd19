import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { definePlatform } from "@evenbench/core";
import { LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";
import { findModules } from "./src/modules.ts";
import { findWorkerd } from "./src/workerd.ts";
import { workerdConfiguration } from "./src/workerd-configuration.ts";
import { readWranglerConfiguration } from "./src/wrangler-configuration.ts";

export default definePlatform({
  title: "Cloudflare Workers",
  description:
    "workerd on this machine, without wrangler dev or miniflare around it; one process an instance.",

  async serve(options) {
    const { deployable, v8Flags } = options;
    const configuration = await readWranglerConfiguration(deployable);
    const modules = await findModules(deployable, configuration);
    const workerd = await findWorkerd();
    // Beside the log it stays readable after the run: this is what was served.
    const file = `${options.logFile}.capnp`;
    const directory = dirname(file);
    return startHost({
      ...options,
      name: "cloudflare host",
      command: async (port) => {
        const text = workerdConfiguration({
          configuration,
          modules,
          deployable,
          directory,
          address: `${LOOPBACK}:${port}`,
          v8Flags,
          hostVariables: {
            EVENBENCH_RUNTIME: `workerd ${workerd.version}`,
            EVENBENCH_V8_FLAGS: v8Flags.join(" ") || "none",
            ...(workerd.v8 === null ? {} : { EVENBENCH_V8: workerd.v8 }),
          },
        });
        await mkdir(directory, { recursive: true });
        await writeFile(file, text);
        return { file: workerd.binary, args: ["serve", file], env: serverEnvironment() };
      },
    });
  },
});
