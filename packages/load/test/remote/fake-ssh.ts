import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What stands in for ssh: another machine is a folder of this one. */
export interface FakeSsh {
  readonly home: string;
  /** The words of each. */
  calls(): Promise<readonly (readonly string[])[]>;
}

/**
 * Notes its words, with an empty one after a call, and runs the last one in the shell over there, as sshd does: with
 * what the other machine has, and nothing of what ssh was started with.
 */
const SSH = `#!/bin/sh
printf '%s\\0' "$@" '' >>"$CALLS"
for command; do :; done
cd "$REMOTE_HOME" && exec env -i PATH="$REMOTE_PATH" HOME="$REMOTE_HOME" K6="$REMOTE_K6" sh -c "$command"
`;

/** Writes the program into a folder, and gives this process's children what they need by `stub`. */
export async function useFakeSsh(
  folder: string,
  k6: string,
  stub: (name: string, value: string) => void,
): Promise<FakeSsh> {
  const [bin, home, calls] = [join(folder, "bin"), join(folder, "home"), join(folder, "calls")];
  for (const made of [bin, home]) await mkdir(made);
  await writeFile(join(bin, "ssh"), SSH, { mode: 0o755 });
  const path = process.env.PATH ?? "";
  stub("CALLS", calls);
  stub("REMOTE_HOME", home);
  stub("REMOTE_PATH", path);
  stub("REMOTE_K6", k6);
  stub("PATH", `${bin}:${path}`);
  return {
    home,
    async calls() {
      const noted = (await readFile(calls, "utf8")).split("\0\0").filter((call) => call !== "");
      return noted.map((call) => call.split("\0"));
    },
  };
}
