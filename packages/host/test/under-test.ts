import { join } from "node:path";
import type { Host, PlatformDefinition, ServeOptions } from "@evenbench/core";
import { beforeAll } from "vitest";
import { testFolder } from "./folder.ts";

export interface PlatformUnderTest {
  /** For whatever the tests write; removed after them. */
  readonly folder: string;
  /** What `build` built. */
  readonly deployable: string;
  /** Serves that, or what the options say, on a free port. */
  serve(options?: Partial<ServeOptions>): Promise<Host>;
  /** The log of the host that was started last. */
  lastLog(): string;
}

/** Sets up the tests of a file about a platform: builds a deployable before the first and cleans up after the last. */
export function underTest(
  platform: Pick<PlatformDefinition, "serve">,
  build: (outDirectory: string) => Promise<unknown>,
): PlatformUnderTest {
  const folder = testFolder();
  const deployable = join(folder, "bundle");
  beforeAll(() => build(deployable));
  let hosts = 0;
  const lastLog = () => join(folder, "logs", `host-${hosts}.log`);
  return {
    folder,
    deployable,
    lastLog,
    serve(options = {}) {
      hosts += 1;
      const defaults = { deployable, port: 0, cores: null, workers: 1, v8Flags: [] };
      return platform.serve({ ...defaults, logFile: lastLog(), ...options });
    },
  };
}
