import { join } from "node:path";
import { replaceByFront, serverFile, sizeOfServer } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import {
  accessVariables,
  compileCache,
  inspectFlags,
  LOOPBACK,
  moduleFile,
  serverEnvironment,
  servingNode,
  startHost,
  TYPE_STRIPPING,
  v8FlagsOf,
} from "@evenbench/host";

export default definePlatform({
  title: "Node.js cluster",
  shortTitle: "Node.js",
  colour: 0,
  adapters: /^srvx$/,
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
  description: "node:cluster on this machine; a dead worker is replaced.",
  startUp: { evaluatedAt: null },

  async serve(options) {
    const flags = [...inspectFlags(options), ...v8FlagsOf(options)];
    const server = await serverFile(options);
    return startHost({
      ...options,
      name: "node host",
      command: (port) => ({
        file: servingNode(options).file,
        args: [
          ...TYPE_STRIPPING,
          moduleFile("apps/node/src/primary"),
          server,
          String(options.workers),
          ...flags,
        ],
        cwd: options.workingFolder ?? options.deployable,
        env: serverEnvironment({
          HOST: LOOPBACK,
          // What the standalone server of Next.js calls the same thing.
          HOSTNAME: LOOPBACK,
          PORT: String(port),
          KEEP_ALIVE_TIMEOUT: "65000",
          EVENBENCH_WORKERS: String(options.workers),
          ...compileCache(),
          ...options.environment,
          ...accessVariables(options.token),
        }),
        reportsWorkers: true,
      }),
    });
  },

  close: (deployable) =>
    replaceByFront(
      join(deployable, "server.mjs"),
      "open-server.mjs",
      new URL("src/front.ts", import.meta.url),
    ),

  size: async (deployable) => ({ ...(await sizeOfServer(deployable)), limit: null }),
});
