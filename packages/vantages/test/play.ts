import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientEnvironment, readLine, runK6 } from "@evenbench/load/k6";
import { K6 } from "@evenbench/load/testing/k6";
import { bundlePlan } from "../src/bundle-plan.ts";
import { type RoundsPlan, SCRIPT_FILES } from "../src/plan.ts";

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
