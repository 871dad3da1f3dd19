import { join } from "node:path";
import type { Host, PlatformDefinition, ServeOptions } from "@evenbench/core";
import { beforeAll } from "vitest";
import { testFolder } from "./folder.ts";

/** A platform whose deployable is built before a file's tests. */
export interface PlatformUnderTest {
  /** Absolute path of the scratch folder of the tests. */
  readonly folder: string;
  /** Absolute path of the deployable in it. */
  readonly deployable: string;
  /** Serves the deployable, or what the options say, on a free port with one worker. */
  serve(options?: Partial<ServeOptions>): Promise<Host>;
}

/** Builds a platform's deployable before the first test of a file. */
export function underTest(
  platform: Pick<PlatformDefinition, "serve">,
  build: (outDirectory: string) => Promise<unknown>,
): PlatformUnderTest {
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
