import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix, resolve } from "node:path";
import { putInFront, sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import { accessVariables, answers, LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";
import { storageOf } from "./src/databases.ts";
import { deployment } from "./src/deploy.ts";
import { findAssets, findModules } from "./src/modules.ts";
import { EVALUATED_AT, startConfiguration, uncompiled } from "./src/start-up.ts";
import { findWorkerd, isSimulated, storesAnything, workerdConfiguration } from "./src/workerd.ts";
import { readWranglerConfiguration, writeWranglerConfiguration } from "./src/wrangler.ts";

/** Cloudflare's changelog of 2026-09-04: 64 MiB before compression on all plans. Wrangler 4.164.0 counts so, too. */
const LIMIT = { bytes: 64 * 2 ** 20, counts: "bytes", says: "64 MB, unpacked" } as const;

/** Cloudflare Workers: a Worker as wrangler would upload it, served here by workerd. */
export default definePlatform({
  title: "Cloudflare Workers",
  shortTitle: "Worker",
  localTitle: "Cloudflare's workerd",
  description:
    "workerd on this machine, without wrangler dev or miniflare around it; one process an instance.",
  colour: 1,
  warmsUpAlone: true,
  tools: ["wrangler"],
  // workerd alone: where a Worker is deployed, the network in front of it normalises URLs.
  keepsDotSegments: true,
  edge: { header: "cf-ray", pattern: "-([A-Z]{3})$" },
  // workerd names modules as they were uploaded.
  scriptFolder: "upload",
  warmAfter: {
    "html-template": 140,
    "html-template-large": 28,
    "json-reviver": 8,
    math: 24,
    "next-api": 240,
    "next-landing": 240,
    "next-page": 40,
    "next-page-large": 10,
    "react-ssr": 64,
    "sveltekit-page": 40,
    trig: 3,
  },
  cpuAccountant: "Cloudflare's Tail Worker events (cpuTime, in whole milliseconds)",
  cpuPrice: {
    title: "Workers Paid, Standard usage model",
    usdPerCpuHour: 0.072,
    stated: "$0.02 for each further million CPU milliseconds",
    readOn: "2026-11-21",
    source: "https://developers.cloudflare.com/workers/platform/pricing/",
  },
  requestPrice: {
    title: "Workers Paid, Standard usage model: requests to the Worker",
    usdPerMillion: 0.3,
    stated: "$0.30 for each further million requests",
    readOn: "2026-11-27",
    source: "https://developers.cloudflare.com/workers/platform/pricing/",
  },
  limits: [
    {
      metric: "startupCpuMs",
      value: 1000,
      stated: "Worker startup time: 1 second",
      readOn: "2026-11-29",
      source: "https://developers.cloudflare.com/workers/platform/limits/",
    },
    {
      metric: "heapBytes",
      value: 128e6,
      stated: "Memory: 128 MB (an isolate's JavaScript heap and WebAssembly)",
      readOn: "2026-11-29",
      source: "https://developers.cloudflare.com/workers/platform/limits/",
    },
  ],
  startUp: { evaluatedAt: EVALUATED_AT },

  async serve(options) {
    const { deployable, v8Flags, inspectPort, startUp } = options;
    const whole = await readWranglerConfiguration(deployable);
    const configuration = startUp === undefined ? whole : startConfiguration(whole);
    const found = await findModules(deployable, configuration);
    const modules = startUp === "control" ? uncompiled(found) : found;
    const assets = await findAssets(deployable, configuration);
    const workerd = await findWorkerd();
    const inspect = inspectPort === undefined ? [] : [`--inspector-addr=${LOOPBACK}:${inspectPort}`];
    const hostVariables = {
      EVENBENCH_RUNTIME: `workerd ${workerd.version}`,
      EVENBENCH_V8_FLAGS: v8Flags.join(" ") || "none",
      ...accessVariables(options.token),
      ...(workerd.v8 === null ? {} : { EVENBENCH_V8: workerd.v8 }),
      ...options.environment,
    };
    // It has values of variables, so it is gone once workerd has read it.
    const file = `${options.logFile}.capnp`;
    const directory = dirname(file);
    // Storage is of one start: each begins with the same.
    const storage = `${resolve(options.logFile)}.storage`;
    const stored = storageOf(deployable);
    const starting = startHost({
      ...options,
      name: "cloudflare host",
      // workerd takes connections before it has evaluated modules. Where a start is measured, nothing of the app answers.
      ...(startUp === undefined ? {} : { readiness: answers("/") }),
      command: async (port) => {
        await rm(storage, { recursive: true, force: true });
        await mkdir(storesAnything(configuration) ? storage : directory, { recursive: true });
        if (stored !== null) {
          await cp(stored, storage, { recursive: true });
        }
        const text = await workerdConfiguration({
          configuration,
          modules,
          assets,
          directory,
          storage,
          address: `${LOOPBACK}:${port}`,
          v8Flags,
          startUp,
          fromEnvironment: Object.keys(hostVariables),
        });
        await writeFile(file, text, { mode: 0o600 });
        const experimental = isSimulated(configuration) ? ["--experimental"] : [];
        const args = ["serve", ...experimental, ...inspect, file];
        return { file: workerd.binary, args, env: serverEnvironment(hostVariables) };
      },
    });
    return starting.finally(() => rm(file, { force: true }));
  },

  close: closeWorker,

  deployment,

  size: async (deployable) => ({ ...(await sizeOfFolder(join(deployable, "upload"))), limit: LIMIT }),
});

/** The module of the guard, in front of the Worker's own. */
const FRONT = "evenbench-front.mjs";

/** The runtime of a deployed Worker: its compatibility layer names a Node.js, and it knows no version. */
const RUNTIME = { EVENBENCH_RUNTIME: "Cloudflare-Workers" };

/** The rule of modules that are uploaded beside the main one, where the configuration has none. */
const MODULE_RULES = [{ type: "ESModule", globs: ["**/*.js", "**/*.mjs"] }];

async function closeWorker(deployable: string): Promise<void> {
  const configuration = await readWranglerConfiguration(deployable);
  const [main] = await findModules(deployable, configuration);
  const name = main?.name ?? "";
  const front = posix.join(dirname(name), FRONT);
  const outfile = join(deployable, "upload", front);
  await putInFront(new URL("src/front.ts", import.meta.url), outfile, posix.basename(name));
  const rules = configuration.rules ?? MODULE_RULES;
  await writeWranglerConfiguration(deployable, {
    ...configuration,
    main: posix.join("upload", front),
    find_additional_modules: true,
    rules,
    vars: { ...configuration.vars, ...RUNTIME },
  });
}
