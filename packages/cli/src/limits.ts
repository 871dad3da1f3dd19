// The limits of a settings file: what they find in a run, in words and as an exit code.
import { terminalLine } from "@evenbench/core";
import { amount, type Facts, type Limited, limited, type StateLimit } from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import { ExitCode } from "./exit.ts";
import { sayNote } from "./say.ts";

/** The quantity of each word, and its name in a sentence. */
const QUANTITIES: Readonly<
  Record<Limit["what"], Pick<StateLimit, "metric" | "of"> & { readonly words: string }>
> = {
  median: { metric: "lastByteMs", of: "value", words: "median time" },
  p95: { metric: "lastByteMs", of: "p95", words: "p95" },
  p99: { metric: "lastByteMs", of: "p99", words: "p99" },
  cpu: { metric: "cpuMs", of: "value", words: "CPU time" },
  startup: { metric: "startupCpuMs", of: "value", words: "CPU time of a start" },
  cold: { metric: "coldStartMs", of: "value", words: "cold start" },
  memory: { metric: "memoryBytes", of: "value", words: "memory" },
  size: { metric: "gzipBytes", of: "value", words: "compressed size" },
};

/** Milliseconds or bytes by unit. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, kB: 1000, MB: 1e6 };

/** Gives the exit code of limits: a failure where one is passed over, undecided where that is not known. */
export function exitCodeOfLimits(facts: Facts, limits: readonly Limit[]): number {
  const codes = limits.map((limit) => exitByLimit(facts, limit));
  if (codes.includes(ExitCode.failed)) {
    return ExitCode.failed;
  }
  return codes.includes(ExitCode.undecided) ? ExitCode.undecided : ExitCode.done;
}

function exitByLimit(facts: Facts, limit: Limit): number {
  const { metric, of, words } = QUANTITIES[limit.what];
  const [, number = "", unit = ""] = /^([\d.]+)\s*(\w+)$/.exec(limit.most) ?? [];
  const most = Number(number) * (UNITS[unit] ?? Number.NaN);
  const found = limited(facts, { metric, of, most, path: limit.path ?? null, target: limit.target ?? null });
  const said = (of: Limited) =>
    metric === "gzipBytes" ? amount("memoryBytes", of.value) : amount(metric, of.value);
  const where = ({ column, case: caseId }: Limited) => {
    const path = facts.cases.find(({ id }) => id === caseId)?.title;
    return path === undefined ? column : `${column} in ${path}`;
  };
  for (const each of found.filter(({ standing }) => standing === "above")) {
    say(`${where(each)} is above its limit: ${words} ${said(each)}, and ${limit.most} at most.`);
  }
  for (const each of found.filter(({ standing }) => standing === "open")) {
    const why = each.value === null ? "was not measured" : `${said(each)}, whose interval reaches over it`;
    say(`${where(each)} may be above its limit of ${limit.most}: ${words} ${why}.`);
  }
  if (found.length === 0) {
    say(`A limit of ${words} has nothing to act on: no such path or target was measured.`);
  }
  if (found.some(({ standing }) => standing === "above")) {
    return ExitCode.failed;
  }
  return found.length === 0 || found.some(({ standing }) => standing === "open")
    ? ExitCode.undecided
    : ExitCode.done;
}

function say(line: string): void {
  sayNote(`evenbench: ${terminalLine(line)}`);
}
