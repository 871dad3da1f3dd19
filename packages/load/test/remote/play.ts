import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@evenbench/host/services/testing";
import type { TestOptions } from "vitest";
import { bundlePlan } from "../../src/remote/bundle-plan.ts";
import { readLine } from "../../src/remote/logs.ts";
import { type RoundsPlan, SCRIPT_FILES } from "../../src/remote/plan.ts";
import { clientEnvironment, findK6, HOW_TO_GET_K6, runK6 } from "../../src/remote/play.ts";

export type PlayedLog = ReturnType<typeof readLog>;

/** Here. @param args besides those of `vantages run`. */
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

export function readLog(text: string) {
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

/** The k6 of this machine; "" where there is none, and tests that need it are skipped. */
export const K6 = (await findK6()) ?? "";

export const NEEDS_K6: TestOptions = needs(K6 === "" ? HOW_TO_GET_K6 : null);
