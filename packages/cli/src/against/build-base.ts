import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { endTree } from "@evenbench/host";
import { BuildError } from "../build.ts";
import type { ListDocument } from "../list-document.ts";
import { readBase } from "./read-base.ts";
import type { Worktree } from "./worktree.ts";

const SHOWN_LINES = 20;

/**
 * Installs and builds targets in a worktree by its own commands. When this has thrown, nothing writes there
 * any more.
 *
 * @throws {BuildError} with the last lines of output when that fails; {UserError} when it says in another
 *   form what it has.
 */
export async function buildBase(
  { folder, commit }: Worktree,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<ListDocument> {
  signal.throwIfAborted();
  const words = ["packages/setup/start.mjs", "bench", "list", "--json"];
  const named = targets.flatMap((name) => ["--target", name]);
  const child = spawn(process.execPath, [...words, ...named], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // At the head of a group, by which it is ended where the system does not say what is below it.
    detached: process.platform !== "win32",
  });
  await using _ending = endAtAbort(child, signal);
  const ended = once(child, "close");
  const [said, aside, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  signal.throwIfAborted();
  // What pnpm says while it installs comes before.
  const json = said.slice(said.search(/^\{/m));
  if (code === 0 && json.startsWith("{")) return readBase(json, commit);
  const lines = `${aside}\n${said}`.trim().split("\n").slice(-SHOWN_LINES).join("\n");
  throw new BuildError(`Commit ${commit.slice(0, 12)} could not be built. Its last lines:\n${lines}`);
}

/** Once disposed of, what was ended is gone. */
function endAtAbort({ pid }: ChildProcess, signal: AbortSignal): AsyncDisposable {
  let ending: Promise<void> | undefined;
  const end = () => {
    if (pid !== undefined) ending = endTree(pid);
  };
  signal.addEventListener("abort", end);
  return {
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", end);
      await ending;
    },
  };
}
