import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServeOptions } from "@evenbench/core";
import { repositoryRoot, TYPE_STRIPPING } from "#repository";
import { HostError, LOOPBACK } from "./loopback.ts";
import type { HostCommand } from "./protocol.ts";

/** A runtime that is installed only where somebody asks for it. */
export interface OwnRuntime {
  /** Says in one line that it is not installed, with the command that installs it; null where it is. */
  missing(): string | null;
  /**
   * Gives the absolute path of its program.
   *
   * @throws {HostError} with the words of `missing` where it is not installed.
   */
  program(): string;
}

/**
 * Finds a runtime in `runtime/` of its platform's folder, which pins it.
 *
 * @param folder with a package.json whose optional dependencies are packages of the runtime, one for each system.
 * @param file the program's path in such a package.
 */
export function ownRuntime(title: string, folder: string, file: string): OwnRuntime {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { optionalDependencies }: { optionalDependencies: object } = JSON.parse(manifest);
  // The package manager installs the one that is for this system.
  const programs = Object.keys(optionalDependencies).map((name) => join(folder, "node_modules", name, file));
  const installed = () => programs.find((path) => existsSync(path));
  const words =
    `${title} is not installed: it is opt-in, so the set-up leaves it out. ` +
    `Install it with: npx pnpm -C ${relative(repositoryRoot, folder)} install`;
  return {
    missing: () => (installed() === undefined ? words : null),
    program() {
      const path = installed();
      if (path === undefined) {
        throw new HostError(words);
      }
      return path;
    },
  };
}

/** Flags of a runtime made of V8 that open its inspector; none without a port. Where a start is profiled, it waits. */
export function inspectFlags({
  inspectPort,
  startUp,
}: Pick<ServeOptions, "inspectPort" | "startUp">): readonly string[] {
  const flag = startUp === undefined ? "--inspect" : "--inspect-wait";
  return inspectPort === undefined ? [] : [`${flag}=${LOOPBACK}:${inspectPort}`];
}

/**
 * Flags of V8 itself. Where a start is measured, no task behind it finishes a collection that is under way when the start
 * is over. Not for workerd: that flag makes its starts longer.
 */
export function v8FlagsOf({
  v8Flags,
  startUp,
}: Pick<ServeOptions, "v8Flags" | "startUp">): readonly string[] {
  return startUp === undefined ? v8Flags : [...v8Flags, "--no-incremental-marking-task"];
}

/**
 * Refuses an order that a runtime cannot carry out.
 *
 * @throws {HostError} where one that is not made of V8 is to take V8's flags or to open its inspector.
 */
export function refuseV8(runtime: string, { v8Flags, inspectPort }: ServeOptions): void {
  if (v8Flags.length === 0 && inspectPort === undefined) {
    return;
  }
  const action = v8Flags.length > 0 ? `take V8's flags (${v8Flags.join(" ")})` : "open V8's inspector";
  throw new HostError(`${runtime} is not built on V8 and cannot ${action}. Name the others alone.`);
}

/** The program that starts several workers. */
const PRIMARY = fileURLToPath(new URL("port-sharing.ts", import.meta.url));

/**
 * Makes a command that starts several workers of a runtime that has no cluster, but can share a port by SO_REUSEPORT.
 *
 * @param server the command of one worker; it is given back where one is wanted.
 * @throws {HostError} for several workers on another system than Linux.
 */
export function sharedPortCommand(
  server: Pick<HostCommand, "file" | "args">,
  workers: number,
): Pick<HostCommand, "file" | "args" | "reportsWorkers"> {
  if (workers === 1) {
    return server;
  }
  if (process.platform !== "linux") {
    throw new HostError(`${server.file} can have several workers only on Linux. Start one worker.`);
  }
  return {
    file: process.execPath,
    args: [...TYPE_STRIPPING, PRIMARY, String(workers), server.file, ...server.args],
    reportsWorkers: true,
  };
}
