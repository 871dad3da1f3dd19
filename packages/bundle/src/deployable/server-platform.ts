import { join } from "node:path";
import { definePlatform, type PlatformDefinition, type ServeOptions } from "@evenbench/core";
import {
  accessVariables,
  LOOPBACK,
  type OwnRuntime,
  serverEnvironment,
  serverOf,
  sharedPortCommand,
  startHost,
} from "@evenbench/host";
import { closeHandler } from "./close-handler.ts";
import { sizeOfFolder } from "./size.ts";

/** What platforms of `serverBuilder` differ in, beside what a person reads. */
export interface ServerPlatform extends Omit<PlatformDefinition, "serve" | "close" | "size" | "missing"> {
  readonly runtime: OwnRuntime;
  /** What starts the program as `<runtime> run <flags> server.mjs`. May refuse. */
  flags(options: ServeOptions): readonly string[];
  environment(options: ServeOptions): Readonly<Record<string, string>>;
}

/** A platform of a runtime that runs a web-standard server as a program, and is off unless it is named. */
export function serverPlatform({
  runtime,
  flags,
  environment,
  ...definition
}: ServerPlatform): PlatformDefinition {
  return definePlatform({
    ...definition,
    offUnlessNamed: true,
    missing: runtime.missing,

    async serve(options) {
      const args = ["run", ...flags(options), serverOf(options.deployable)];
      const file = runtime.program();
      return startHost({
        ...options,
        name: `${definition.title.toLowerCase()} host`,
        command: (port) => ({
          ...sharedPortCommand({ file, args }, options.workers),
          cwd: options.deployable,
          env: serverEnvironment({
            HOST: LOOPBACK,
            PORT: String(port),
            EVENBENCH_WORKERS: String(options.workers),
            ...environment(options),
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
}
