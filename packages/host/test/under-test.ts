import { join } from "node:path";
import type { PlatformDefinition, ServeOptions } from "@evenbench/core";
import { beforeAll } from "vitest";
import { testFolder } from "./folder.ts";

export type PlatformUnderTest = ReturnType<typeof underTest>;

/** Builds a deployable before the first test of a file. Its `serve` serves that, or what the options say, on a free port. */
export function underTest(
  platform: Pick<PlatformDefinition, "serve">,
  build: (outDirectory: string) => Promise<unknown>,
) {
  const folder = testFolder();
  const deployable = join(folder, "bundle");
  beforeAll(() => build(deployable));
  let hosts = 0;
  const serve = (options: Partial<ServeOptions> = {}) => {
    const place = { deployable, port: 0, logFile: join(folder, "logs", `host-${++hosts}.log`) };
    return platform.serve({ ...place, cores: null, workers: 1, v8Flags: [], ...options });
  };
  return { folder, deployable, serve };
}
