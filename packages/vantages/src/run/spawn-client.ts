import { type StdioOptions, spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { UserError } from "@evenbench/core";

const KEPT_CHARACTERS = 2000;

/** A program to be run to its end. */
export interface Call {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which stays open until it ends. */
  readonly input?: string;
  /** Takes its standard error. */
  readonly log?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program to its end. An abort asks it to end.
 *
 * @returns its exit code, null where a signal ended it; and what it said where that did not go into a log.
 * @throws {UserError} when it cannot be started, or is not to be any more.
 */
export async function runToEnd(call: Call): Promise<{ readonly code: number | null; readonly said: string }> {
  const log = call.log === undefined ? null : await open(call.log, "w");
  try {
    return await spawned(call, log);
  } finally {
    await log?.close();
  }
}

function spawned({ file, args, env = {}, input, signal }: Call, log: FileHandle | null) {
  // One that was aborted before is not heard of again.
  if (signal?.aborted) throw new UserError(`${file} was not started any more.`);
  const stdio: StdioOptions = [
    input === undefined ? "ignore" : "pipe",
    "ignore",
    log === null ? "pipe" : log.fd,
  ];
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-KEPT_CHARACTERS);
  });
  // A program that ends without reading says by its exit code what was wrong.
  child.stdin?.once("error", () => {});
  child.stdin?.write(input ?? "");
  const end = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  return new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    child.once("error", ({ message }) => reject(new UserError(`${file} could not be started: ${message}`)));
    child.once("close", (code) => resolve({ code, said }));
  }).finally(() => signal?.removeEventListener("abort", end));
}
