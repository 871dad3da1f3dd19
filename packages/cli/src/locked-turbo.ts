// `node locked-turbo.ts run build`: turbo, when no other build of this clone runs. `npm run build` comes here.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { messageOf } from "@evenbench/core/errors";
import { underBuildLock } from "./build-lock.ts";
import { sayNote } from "./say.ts";

/** Runs turbo to its end. @returns its exit code; 128 + the signal's number where it was killed. */
async function runTurbo(args: readonly string[]): Promise<number> {
  const child = spawn("turbo", args, { stdio: "inherit" });
  // Ctrl-C reaches turbo, too. It decides when and how to end, and the lock is held until it has.
  const wait = (): void => {};
  const pass = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.on("SIGINT", wait).on("SIGTERM", pass).on("SIGHUP", pass);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

try {
  process.exitCode = await underBuildLock(() => runTurbo(process.argv.slice(2)));
} catch (error) {
  sayNote(`evenbench: the build could not run: ${messageOf(error)}`);
  process.exitCode = 1;
}
