// The limits of a settings file: what they find in a run.
import { amount, type Facts, type Limited, limited, type StateLimit } from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import { ExitCode } from "./exit.ts";

/** What conditions found: an exit code, and why, a line each. */
export interface Judgement {
  readonly code: number;
  readonly lines: readonly JudgedLine[];
}

/** A line of what conditions found. */
export interface JudgedLine {
  /** "met": a condition is met. "open": nobody can say whether it is. "note": what goes with these. */
  readonly kind: "met" | "open" | "note";
  readonly text: string;
}

/** Makes lines of one kind. */
export function linesOf(kind: JudgedLine["kind"], texts: readonly string[]): readonly JudgedLine[] {
  return texts.map((text) => ({ kind, text }));
}

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

/** Judges what was measured by a limit. */
export function judgeByLimit(facts: Facts, limit: Limit): Judgement {
  const { metric, of, words } = QUANTITIES[limit.what];
  const [, number = "", unit = ""] = /^([\d.]+)\s*(\w+)$/.exec(limit.most) ?? [];
  const most = Number(number) * (UNITS[unit] ?? Number.NaN);
  const found = limited(facts, { metric, of, most, path: limit.path ?? null, target: limit.target ?? null });
  const above = found.filter(({ standing }) => standing === "above");
  const open = found.filter(({ standing }) => standing === "open");
  const amountOf = ({ value }: Limited) => amount(metric === "gzipBytes" ? "memoryBytes" : metric, value);
  const passedOver = above.map(
    (each) =>
      `${placeOf(facts, each)} is above its limit: ${words} ${amountOf(each)}, and ${limit.most} at most.`,
  );
  const unsure = open.map((each) => {
    const why =
      each.value === null ? "was not measured" : `${amountOf(each)}, whose interval reaches over it`;
    return `${placeOf(facts, each)} may be above its limit of ${limit.most}: ${words} ${why}.`;
  });
  const nothing = `A limit of ${words} has nothing to act on: no such path or target was measured.`;
  const lines = [...linesOf("met", passedOver), ...linesOf("open", found.length === 0 ? [nothing] : unsure)];
  if (above.length > 0) {
    return { code: ExitCode.failed, lines };
  }
  return { code: found.length === 0 || open.length > 0 ? ExitCode.undecided : ExitCode.done, lines };
}

/** Names what a limit is of. */
function placeOf({ cases }: Facts, { column, case: caseId }: Limited): string {
  const title = cases.find(({ id }) => id === caseId)?.title;
  return title === undefined ? column : `${column} in ${title}`;
}
