import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { formatDuration, type RunTool, type ToolCall } from "@evenbench/core";
import { DeployError } from "./deployments.ts";

const LINES_KEPT = 20;
/** A tool that says nothing for so long waits for something that will not come. */
const SILENT_FOR_MS = 10 * 60_000;

/** What a tool says goes nowhere unless it fails. It ends when `signal` aborts. */
export function toolRunner(signal: AbortSignal, silentForMs = SILENT_FOR_MS): RunTool {
  return (call) => runUntil(call, signal, silentForMs);
}

async function runUntil(
  { name, command, cwd, env = {}, input }: ToolCall,
  signal: AbortSignal,
  silentForMs: number,
) {
  if (signal.aborted) throw new DeployError(`${name} was not started any more.`);
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  let isSilent = false;
  const silence = setTimeout(() => {
    isSilent = true;
    child.kill();
  }, silentForMs);
  const { stdin, stdout, stderr } = child;
  const written: Buffer[] = [];
  const said: Buffer[] = [];
  const hear = (chunk: Buffer): void => {
    said.push(chunk);
    silence.refresh();
  };
  stdout.on("data", (chunk: Buffer) => written.push(chunk));
  stdout.on("data", hear);
  stderr.on("data", hear);
  // A tool that ends without reading its input says by its exit code what was wrong.
  stdin.once("error", () => {});
  stdin.end(input ?? "");
  const failure = await new Promise<string | null>((resolve) => {
    child.once("error", (error) => {
      if (!signal.aborted) resolve(`could not be started: ${error.message}`);
    });
    child.once("close", (code, ending) =>
      resolve(code === 0 ? null : `ended with ${ending ?? `exit code ${code}`}`),
    );
  });
  clearTimeout(silence);
  if (failure === null) return Buffer.concat(written).toString();
  if (signal.aborted) throw new DeployError(`${name} was interrupted.`);
  const how = isSilent ? `said nothing for ${formatDuration(silentForMs)}, and was ended` : failure;
  const lines = stripVTControlCharacters(Buffer.concat(said).toString())
    .split("\n")
    .filter((line) => line.trim() !== "");
  throw new DeployError(`${name} ${how}:\n${lines.slice(-LINES_KEPT).join("\n")}`);
}
