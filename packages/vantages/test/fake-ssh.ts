import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Source text of the program in the place of ssh, which makes another machine of a folder. It notes its words, with
 * an empty one after a call, and runs the last one in the shell over there, as sshd does: with nothing of what ssh
 * was started with.
 */
const SSH = `#!/bin/sh
printf '%s\\0' "$@" '' >>"$CALLS"
for command; do :; done
cd "$REMOTE_HOME" && exec env -i PATH="$REMOTE_PATH" HOME="$REMOTE_HOME" K6="$REMOTE_K6" sh -c "$command"
`;

/** The program in the place of ssh. */
interface FakeSsh {
  /** Absolute path of the other machine's home folder. */
  readonly home: string;
  /** Reads the words of each call so far. */
  calls(): Promise<readonly (readonly string[])[]>;
}

/** Writes the program into a folder, and gives this process's children their variables by `stub`. */
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
  await writeFile(join(bin, "ssh"), SSH, { mode: 0o755 });
  const path = process.env.PATH ?? "";
  const variables = { CALLS: calls, REMOTE_HOME: home, REMOTE_PATH: path, REMOTE_K6: k6 };
  for (const [name, value] of Object.entries({ ...variables, PATH: `${bin}:${path}` })) {
    stub(name, value);
  }
  return {
    home,
    async calls(): Promise<readonly (readonly string[])[]> {
      const noted = (await readFile(calls, "utf8")).split("\0\0").filter((call) => call !== "");
      return noted.map((call) => call.split("\0"));
    },
  };
}
