import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "@evenbench/core";

/** The other machine, and where calls are noted. */
interface Remote {
  readonly calls: string;
  readonly home: string;
  readonly path: string;
  readonly k6: string;
}

/**
 * Writes the program in the place of ssh, which makes a machine of a folder: it notes its words, with an empty one
 * after a call, and runs the last one there, as sshd does.
 */
function sourceOf({ calls, home, path, k6 }: Remote): string {
  return `#!/bin/sh
printf '%s\\0' "$@" '' >>${shellWord(calls)}
for command; do :; done
cd ${shellWord(home)} && exec env -i PATH=${shellWord(path)} HOME=${shellWord(home)} K6=${shellWord(k6)} sh -c "$command"
`;
}

/** The program in the place of ssh. */
interface FakeSsh {
  /** Absolute path of the other machine's home folder. */
  readonly home: string;
  /** Reads the words of each call so far. */
  calls(): Promise<readonly (readonly string[])[]>;
}

/** Writes the program into a folder, and puts that first in PATH by `stub`. */
export async function useFakeSsh(
  folder: string,
  k6: string,
  stub: (name: string, value: string) => void,
): Promise<FakeSsh> {
  const bin = join(folder, "bin");
  const home = join(folder, "home");
  const calls = join(folder, "calls");
  for (const made of [bin, home]) {
    await mkdir(made);
  }
  const path = process.env.PATH ?? "";
  await writeFile(join(bin, "ssh"), sourceOf({ calls, home, path, k6 }), { mode: 0o755 });
  stub("PATH", `${bin}:${path}`);
  return {
    home,
    async calls(): Promise<readonly (readonly string[])[]> {
      const noted = (await readFile(calls, "utf8")).split("\0\0").filter((call) => call !== "");
      return noted.map((call) => call.split("\0"));
    },
  };
}
