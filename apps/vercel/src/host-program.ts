import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TYPE_STRIPPING } from "@evenbench/host";

const MAKER = fileURLToPath(new URL("make-instance.ts", import.meta.url));
let made: Promise<{ readonly stdout: string }> | undefined;

/** Makes the program of an instance, once for this process. @returns its absolute path. */
export async function hostProgram(): Promise<string> {
  made ??= promisify(execFile)(process.execPath, [...TYPE_STRIPPING, MAKER]);
  return (await made).stdout;
}
