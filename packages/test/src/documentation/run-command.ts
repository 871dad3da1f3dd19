import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { signalGroup } from "@evenbench/host/testing";

export interface Ended {
  readonly code: number | null;
  /** Standard output and standard error as they came. */
  readonly said: string;
}

/**
 * Runs a command as a terminal does: at the head of a process group, with nobody at the keyboard.
 *
 * @param ready what it says when it is up; then it gets Ctrl-C.
 * @param root of the repository in which it is typed; default: this one.
 * @param signal ends it with all of its group.
 */
export async function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  ready?: RegExp,
  root: string = repositoryRoot,
  signal?: AbortSignal,
): Promise<Ended> {
  // In a sentence `evenbench` stands alone; it is the script of that name.
  const [tool = "", ...args] = words[0] === "evenbench" ? ["pnpm", ...words] : words;
  const path = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const child = spawn(tool, args, {
    cwd: root,
    env: { ...process.env, PATH: path, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  signal?.addEventListener("abort", () => signalGroup(child.pid ?? Number.NaN, "SIGKILL"));
  let said = "";
  let interrupted = false;
  const hear = (chunk: Buffer) => {
    said += chunk;
    if (interrupted || ready?.test(said) !== true) return;
    interrupted = true;
    // To the whole group, as a terminal sends it.
    signalGroup(child.pid ?? Number.NaN, "SIGINT");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const [code] = await once(child, "close");
  return { code, said };
}

/** The same command with more arguments behind it. npm keeps for itself what does not follow "--". */
export function withArguments(words: readonly string[], added: readonly string[]): readonly string[] {
  const separator = words[0] === "npm" && !words.includes("--") && added.length > 0 ? ["--"] : [];
  return [...words, ...separator, ...added];
}
