import { existsSync } from "node:fs";
import { join } from "node:path";
import { closeHandler, sizeOfFolder } from "@evenbench/bundle/deployable";
import { definePlatform, type ServeOptions } from "@evenbench/core";
import {
  accessVariables,
  HostError,
  inspectFlags,
  LOOPBACK,
  ownFolder,
  ownRuntime,
  serverEnvironment,
  sharedPortCommand,
  startHost,
} from "@evenbench/host";

const deno = ownRuntime("Deno", join(import.meta.dirname, "runtime"), "deno");

/**
 * Nothing of the caller's own, and nothing kept: compiled code of an earlier instance would make a later one
 * start and warm up sooner, as on no other platform.
 */
const FLAGS = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt", "--no-code-cache"];

/** What Node.js and Bun let every program do. */
const PERMISSIONS = ["--allow-env", "--allow-net", "--allow-read", "--allow-sys"];

export default definePlatform({
  title: "Deno",
  description: "Deno.serve on this machine.",
  offUnlessNamed: true,
  missing: deno.missing,

  // Deno.serve writes the length of the empty Response that answers HEAD.
  headSaysEmpty: true,

  async serve(options) {
    const server = join(options.deployable, "server.mjs");
    if (!existsSync(server)) {
      throw new HostError(
        `There is no server.mjs in ${options.deployable}. Build it with \`npm run build\`.`,
      );
    }
    const file = deno.program();
    const flags = [
      ...FLAGS,
      ...PERMISSIONS,
      ...inspectFlags(options.inspectPort),
      ...sharing(options),
      ...v8Flags(options),
    ];
    return startHost({
      ...options,
      name: "deno host",
      command: (port) => ({
        ...sharedPortCommand({ file, args: ["run", ...flags, server] }, options.workers),
        cwd: options.deployable,
        env: serverEnvironment({
          HOST: LOOPBACK,
          PORT: String(port),
          EVENBENCH_WORKERS: String(options.workers),
          EVENBENCH_V8_FLAGS: options.v8Flags.join(" "),
          DENO_DIR: ownFolder("deno"),
          DENO_NO_UPDATE_CHECK: "1",
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

/** Deno counts sharing a port as unstable. */
function sharing({ workers }: ServeOptions): readonly string[] {
  return workers === 1 ? [] : ["--unstable-net"];
}

function v8Flags({ v8Flags }: ServeOptions): readonly string[] {
  return v8Flags.length === 0 ? [] : [`--v8-flags=${v8Flags.join(",")}`];
}
