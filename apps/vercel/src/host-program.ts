import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TYPE_STRIPPING } from "@evenbench/host";

const MAKER = fileURLToPath(new URL("make-instance.ts", import.meta.url));
/** The making of the program; undefined before it was asked for. */
let madeProgram: Promise<{ readonly stdout: string }> | undefined;

/** Makes the program of an instance, once for this process. @returns its absolute path. */
export async function hostProgram(): Promise<string> {
  madeProgram ??= promisify(execFile)(process.execPath, [...TYPE_STRIPPING, MAKER]);
  return (await madeProgram).stdout;
}
