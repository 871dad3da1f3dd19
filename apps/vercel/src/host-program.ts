import { fileURLToPath } from "node:url";
import { runProgram, TYPE_STRIPPING } from "@evenbench/host";

const MAKER = fileURLToPath(new URL("make-instance.ts", import.meta.url));
/** The making of the program; undefined before it was asked for. */
let madeProgram: Promise<string> | undefined;

/** Makes the program of an instance, once for this process. @returns its absolute path. */
export async function hostProgram(): Promise<string> {
  madeProgram ??= makeProgram();
  return await madeProgram;
}

async function makeProgram(): Promise<string> {
  const { failure, stdout, output } = await runProgram({
    command: [process.execPath, ...TYPE_STRIPPING, MAKER],
  });
  if (failure !== null) {
    throw new Error(`The program of Vercel's instances cannot be made: it ${failure}.\n${output}`);
  }
  return stdout;
}
