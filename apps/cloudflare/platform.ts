import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import { accessVariables, LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";
import { closeWorker } from "./src/close.ts";
import { deployment } from "./src/deploy.ts";
import { findAssets, findModules } from "./src/modules.ts";
import { findWorkerd, workerdConfiguration } from "./src/workerd.ts";
import { readWranglerConfiguration, wranglerDev } from "./src/wrangler.ts";

/** Cloudflare's documentation, "Workers: Limits": 10 MB after compression on the paid plan. */
const LIMIT = { bytes: 10e6, counts: "gzipBytes", says: "10 MB compressed; 3 MB on the free plan" } as const;

export default definePlatform({
  title: "Cloudflare Workers",
  shortTitle: "Worker",
  localTitle: "Cloudflare's workerd",
  description:
    "workerd on this machine, without wrangler dev or miniflare around it; one process an instance.",
  colour: 1,
  cpuAccountant: "Cloudflare's Tail Worker events (cpuTime, in whole milliseconds)",
  cpuPrice: {
    title: "Workers Paid, Standard usage model",
    usdPerCpuHour: 0.072,
    stated: "$0.02 for each further million CPU milliseconds",
    readOn: "2026-11-21",
    source: "https://developers.cloudflare.com/workers/platform/pricing/",
  },

  async serve(options) {
    const { deployable, v8Flags, inspectPort } = options;
    const configuration = await readWranglerConfiguration(deployable);
    const modules = await findModules(deployable, configuration);
    const assets = await findAssets(deployable, configuration);
    const workerd = await findWorkerd();
    const inspect = inspectPort === undefined ? [] : [`--inspector-addr=${LOOPBACK}:${inspectPort}`];
    // It stays beside the log: this is what was served. With a token in it, it goes.
    const file = `${options.logFile}.capnp`;
    const directory = dirname(file);
    return startHost({
      ...options,
      name: "cloudflare host",
      command: async (port) => {
        const text = workerdConfiguration({
          configuration,
          modules,
          assets,
          directory,
          address: `${LOOPBACK}:${port}`,
          v8Flags,
          hostVariables: {
            EVENBENCH_RUNTIME: `workerd ${workerd.version}`,
            EVENBENCH_V8_FLAGS: v8Flags.join(" ") || "none",
            ...accessVariables(options.token),
            ...(workerd.v8 === null ? {} : { EVENBENCH_V8: workerd.v8 }),
            ...options.environment,
          },
        });
        await mkdir(directory, { recursive: true });
        // One that is left over would keep its own mode.
        await rm(file, { force: true });
        await writeFile(file, text, { mode: 0o600 });
        return { file: workerd.binary, args: ["serve", ...inspect, file], env: serverEnvironment() };
      },
      cleanUp: async () => {
        if (options.token != null) await rm(file, { force: true });
      },
    });
  },

  close: closeWorker,

  deployment,

  develop({ deployable, port, logFile }) {
    return startHost({
      name: "wrangler dev",
      port,
      logFile,
      cores: null,
      readyWithinMs: 60_000,
      command: () => wranglerDev(deployable, port),
    });
  },

  size: async (deployable) => ({ ...(await sizeOfFolder(join(deployable, "upload"))), limit: LIMIT }),
});
