import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BeginLine,
  clientEnvironment,
  type EndLine,
  type ExchangeLine,
  readLine,
  runK6,
} from "@evenbench/load/k6";
import { K6 } from "@evenbench/load/testing/k6";
import { bundlePlan } from "../src/bundle-plan.ts";
import { type RoundsPlan, SCRIPT_FILES } from "../src/plan.ts";

/** The log of a client that played a plan. */
export interface PlayedLog {
  /** The whole text. */
  readonly text: string;
  /** The first line; undefined where it is missing. */
  readonly begin: BeginLine | undefined;
  readonly exchanges: readonly ExchangeLine[];
  /** The last line; undefined where it is missing. */
  readonly end: EndLine | undefined;
  /** Lines that the client did not write. */
  readonly others: readonly string[];
}

/** Plays a plan on this machine. @param args arguments of k6 besides those of `vantages run`. */
export async function play(
  plan: RoundsPlan,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<PlayedLog> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "evenbench-vantages-"));
  const script = join(folder.path, SCRIPT_FILES.rounds);
  const log = join(folder.path, "log");
  await writeFile(script, await bundlePlan(plan));
  const environment = { ...clientEnvironment("here"), ...env };
  await runK6({ k6: K6, args, script, env: environment, log, signal: undefined });
  return readLog(await readFile(log, "utf8"));
}

/** Reads the text of a log. */
export function readLog(text: string): PlayedLog {
  const texts = text.split("\n").filter((line) => line !== "");
  const ours = texts.map(readLine).filter((line) => typeof line !== "string");
  return {
    text,
    begin: ours.find((line) => line.evenbench === "begin"),
    exchanges: ours.filter((line) => line.evenbench === "exchange"),
    end: ours.find((line) => line.evenbench === "end"),
    others: texts.filter((line) => readLine(line) === "foreign"),
  };
}
