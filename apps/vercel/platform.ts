import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { copyWithoutApp } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import { inspectFlags, servingNode, startHost, v8FlagsOf } from "@evenbench/host";
import { toolsVariable } from "@evenbench/host/tools";
import { hostProgram } from "#host-program";
import { type BuildOutput, readBuildOutput } from "./src/build-output.ts";
import { deployment } from "./src/deploy.ts";
import { closeFunctions, functionEnvironment, sizeOfLargestFunction } from "./src/deployable.ts";
import { readVercelConfiguration } from "./src/own-configuration.ts";
import { HANDLER_FUNCTION, START_PATH_VARIABLE } from "./src/start-up.ts";

/** Vercel Functions: a folder of the Build Output API, served here by one process. */
export default definePlatform({
  title: "Vercel Functions",
  shortTitle: "Vercel Function",
  localTitle: "Vercel's adapter",
  description:
    "A Build Output API folder on this machine, through the platform's own adapter; one process an instance.",
  colour: 2,
  // "fra1::iad1::…": the first region is the edge.
  edge: { header: "x-vercel-id", pattern: "^([a-z]{3}\\d)::" },
  warmAfter: {
    "html-template": 100,
    "html-template-large": 16,
    "json-reviver": 12,
    math: 12,
    "next-api": 240,
    "next-landing": 240,
    "next-page": 40,
    "next-page-large": 10,
    "react-ssr": 40,
    "sveltekit-page": 56,
    trig: 3,
  },
  cpuAccountant: "process.cpuUsage() in the function's instance, from a request's arrival to the next one's",
  cpuPrice: {
    title: "Fluid compute, Active CPU in Washington, D.C. (iad1)",
    usdPerCpuHour: 0.128,
    stated: "$0.128 for each hour of Active CPU",
    readOn: "2026-11-21",
    source: "https://vercel.com/docs/fluid-compute/pricing",
  },
  requestPrice: {
    title: "Pro: invocations of the function, without requests to the network in front",
    usdPerMillion: 0.6,
    stated: "$0.60 for each further million invocations",
    readOn: "2026-11-27",
    source: "https://vercel.com/docs/functions/usage-and-pricing",
  },
  adapters: /^@vercel\//,
  tools: ["@vercel/node", "@edge-runtime/vm"],
  startUp: { evaluatedAt: null },

  // bundling-handler.js of @vercel/node loops over the body and never looks at the connection.
  readsAbandonedBodies: true,

  readOwnFiles: readVercelConfiguration,

  async serve(options) {
    const flags = [...inspectFlags(options), ...v8FlagsOf(options)];
    const output = await readBuildOutput(options.deployable);
    const node = servingNode(options);
    const instance = await hostProgram();
    const isControl = options.startUp === "control";
    const served = isControl ? await outputWithoutApp(output, options.logFile) : options.deployable;
    const startPath = options.startUp === "app" ? options.readyPath : undefined;
    return startHost({
      ...options,
      name: "vercel host",
      command: (port) => ({
        file: node.file,
        args: [...flags, instance, served, String(port)],
        cwd: options.deployable,
        env: {
          ...functionEnvironment(output, { port, token: options.token, nodeVersion: node.version }),
          ...toolsVariable(),
          ...(startPath !== undefined && { [START_PATH_VARIABLE]: startPath }),
          ...options.environment,
        },
      }),
    });
  },

  close: closeFunctions,

  deployment,

  size: sizeOfLargestFunction,
});

/**
 * Writes the build output that stands for no app where a start is measured, beside a log: with Evenbench's own function
 * where the app's handler is in it, else without any.
 *
 * @returns its absolute path.
 */
async function outputWithoutApp({ functions }: BuildOutput, logFile: string): Promise<string> {
  const folder = resolve(`${logFile}.empty`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify({ version: 3 }));
  const own = functions.find(({ module }) => module === HANDLER_FUNCTION);
  if (own !== undefined) {
    const emptied = join(folder, "functions/index.func");
    await copyWithoutApp(join(own.directory, own.module), emptied);
    await cp(join(own.directory, ".vc-config.json"), join(emptied, ".vc-config.json"));
  }
  return folder;
}
