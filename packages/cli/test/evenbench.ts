import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { testFolder as folderOfFile } from "@evenbench/host/testing/folder";
import { afterAll, expect, vi } from "vitest";
import { main } from "../src/main.ts";

/** Absolute path of the command line's program. */
export const CLI: string = fileURLToPath(new URL("../evenbench.ts", import.meta.url));

/** A command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, which takes a tenth of what a process of its own does. */
export async function evenbench(...args: string[]): Promise<Ended & { readonly output: string }> {
  const streams = { stdout: "", stderr: "" };
  let output = "";
  const keep = (stream: keyof typeof streams) => (text: unknown) => {
    streams[stream] += text;
    output += text;
    return true;
  };
  const line =
    (stream: keyof typeof streams) =>
    (...parts: unknown[]) =>
      void keep(stream)(`${parts.map(String).join(" ")}\n`);
  const spies = [
    vi.spyOn(console, "log").mockImplementation(line("stdout")),
    vi.spyOn(console, "error").mockImplementation(line("stderr")),
    vi.spyOn(process.stdout, "write").mockImplementation(keep("stdout")),
    vi.spyOn(process.stderr, "write").mockImplementation(keep("stderr")),
  ];
  try {
    return { code: await main(args), ...streams, output };
  } finally {
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}

const started = new Set<ChildProcess>();

type Settings = Pick<SpawnOptions, "cwd" | "env"> & { readonly group?: boolean; readonly file?: string };

/** A command line that runs in a process of its own. */
export interface StartedProgram {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves when the process has ended and its output is complete. */
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>;
}

/**
 * Starts a command line in a process of its own; with `group` it leads a process group, so that Ctrl-C reaches all of
 * it.
 */
export function start(
  args: readonly string[],
  { file = CLI, group = false, ...options }: Settings = {},
): StartedProgram {
  const child = spawn(process.execPath, [file, ...args], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    detached: group,
  });
  started.add(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  return { child, ended };
}

/** Waits for a command that has to end without a failure, and gives its output. */
export async function succeeded<Result extends Ended>(ending: Promise<Result>): Promise<Result> {
  const ended = await ending;
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

/** Makes a folder for the tests of a file, at whose end nothing that they started goes on. @returns a path in it. */
export function testFolder(): (...path: string[]) => string {
  const folder = folderOfFile();
  afterAll(() => {
    for (const child of started) {
      if (child.exitCode === null) {
        child.kill("SIGKILL");
      }
    }
    started.clear();
  });
  return (...path) => join(folder, ...path);
}

export async function runIn(out: string): Promise<string> {
  const entries = await readdir(out, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const [{ name } = { name: "" }] = folders;
  return join(out, name);
}

/** Reads a file of the run in a folder of runs; "" as long as it is not there. */
export async function readIn(out: string, file: string): Promise<string> {
  return existsSync(out) ? readFile(`${await runIn(out)}/${file}`, "utf8").catch(() => "") : "";
}

/** Divides a template into the words of a command; a value that is put in belongs to one word, whatever is in it. */
export function words({ raw }: TemplateStringsArray, ...values: readonly string[]): string[] {
  const left = [...values];
  const fill = (word: string) => word.replaceAll("\0", () => left.shift() ?? "");
  return raw.join("\0").trim().split(/\s+/).map(fill);
}
