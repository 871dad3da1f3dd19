import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlatformId } from "@evenbench/core";

const bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));

/** What every build of the app runs with. `builtWith` names the adapter and its version: `/identity` names it. */
export function buildEnvironment(platform: PlatformId, builtWith: string): Record<string, string> {
  return {
    NODE_ENV: "production",
    EVENBENCH_PLATFORM: platform,
    BUILT_WITH: builtWith,
    NEXT_TELEMETRY_DISABLED: "1",
    PATH: bin + delimiter + process.env.PATH,
  };
}
