import { join } from "node:path";
import { replaceByFront, sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform } from "@evenbench/core";
import {
  accessVariables,
  builtFile,
  compileCache,
  inspectFlags,
  LOOPBACK,
  moduleFile,
  serverEnvironment,
  servingNode,
  startHost,
  TYPE_STRIPPING,
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
    math: 7,
    "next-api": 240,
    "next-landing": 240,
    "next-page": 10,
    "react-ssr": 40,
    "sveltekit-page": 56,
    trig: 3,
  },
  description: "node:cluster on this machine; a dead worker is replaced.",

  async serve(options) {
    const flags = [...inspectFlags(options.inspectPort), ...options.v8Flags];
    const server = builtFile(options.deployable, "server.mjs");
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
        cwd: options.deployable,
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

  size: async (deployable) => ({ ...(await sizeOfFolder(deployable)), limit: null }),
});
