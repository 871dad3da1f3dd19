import { join } from "node:path";
import { serverPlatform } from "@evenbench/bundle/deployable";
import { inspectFlags, ownFolder, ownRuntime, v8FlagsOf } from "@evenbench/host";

/** Flags of every start. The last keeps an earlier instance's compiled code from a later one. */
const FLAGS = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt", "--no-code-cache"];

/** Permissions that Node.js and Bun give every program. */
const PERMISSIONS = ["--allow-env", "--allow-net", "--allow-read", "--allow-sys"];

export default serverPlatform({
  title: "Deno",
  colour: 3,
  description: "Deno.serve on this machine.",
  runtime: ownRuntime("Deno", join(import.meta.dirname, "runtime"), "deno"),

  headSaysEmpty: true,

  flags(options) {
    const v8Flags = v8FlagsOf(options);
    return [
      ...FLAGS,
      ...PERMISSIONS,
      ...inspectFlags(options),
      // Deno counts sharing a port as unstable.
      ...(options.workers === 1 ? [] : ["--unstable-net"]),
      ...(v8Flags.length === 0 ? [] : [`--v8-flags=${v8Flags.join(",")}`]),
    ];
  },
  environment: ({ v8Flags }) => ({
    EVENBENCH_V8_FLAGS: v8Flags.join(" "),
    DENO_DIR: ownFolder("deno"),
    DENO_NO_UPDATE_CHECK: "1",
  }),
});
