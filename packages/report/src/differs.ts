import { formatCount, formatPercent } from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { ofTarget } from "./case-report.ts";
import type { CaseReport } from "./data.ts";

/** Two shares that differ by less are not told. A fraction. */
const LEAST_SHARE = 0.03;
/** Of two counts the larger one has to be so many times the smaller one. */
const LEAST_FACTOR = 1.5;
/** Page faults of a request below this are not told. */
const LEAST_FAULTS = 10;

/** What a target is known to do in another way than the baseline, and both of its values. */
interface Difference {
  readonly what: string;
  readonly here: string;
  readonly there: string;
}

/**
 * What differs between a target and the baseline of a case, as one sentence: the engine, its limit of heap, the kernel's
 * share of CPU time, page faults and memory. It says that they differ, and never that they are the cause. null where
 * nothing known does.
 *
 * @param spoken the target's name in the sentence.
 */
export function differsSentence(
  report: CaseReport,
  { identities }: Pick<Run, "identities">,
  target: string,
  spoken: string,
): string | null {
  const found = differencesOf(report, identities, target);
  if (found.length === 0) {
    return null;
  }
  const parts = found.map(({ what, here, there }) => `${what} ${here} / ${there}`);
  return `Differs on ${spoken}: ${parts.join("; ")}.`;
}

function differencesOf(
  report: CaseReport,
  identities: Run["identities"],
  target: string,
): readonly Difference[] {
  const { baseline } = report;
  const factOf = (name: string, fact: string) => identities[name]?.facts[fact] ?? null;
  const cpu = ofTarget(report.cpu, target);
  const baseCpu = ofTarget(report.cpu, baseline);
  const facts = [
    differentTexts("V8", shortVersion(factOf(target, "v8")), shortVersion(factOf(baseline, "v8"))),
    differentTexts("V8's flags", factOf(target, "v8Flags"), factOf(baseline, "v8Flags")),
    differentTexts("limit of the heap", heapOf(identities, target), heapOf(identities, baseline)),
  ];
  const shares = differentShares(cpu?.systemShare ?? null, baseCpu?.systemShare ?? null);
  const faults = differentFaults(cpu?.minorFaults ?? null, baseCpu?.minorFaults ?? null);
  return [...facts, shares, faults].filter((difference) => difference !== null);
}

/** "13.6" of "13.6.233.17-node.53": the parts that V8's releases are known by. */
function shortVersion(version: string | null): string | null {
  return version === null ? null : (/^\d+\.\d+/.exec(version)?.[0] ?? version);
}

/** The collector works by the heap that it may fill. */
function heapOf(identities: Run["identities"], target: string): string | null {
  const bytes = Number(identities[target]?.facts.heapLimitBytes ?? Number.NaN);
  return Number.isFinite(bytes) ? `${(bytes / 1e9).toFixed(1)} GB` : null;
}

function differentTexts(what: string, here: string | null, there: string | null): Difference | null {
  return here === null || there === null || here === there ? null : { what, here, there };
}

function differentShares(here: number | null, there: number | null): Difference | null {
  if (here === null || there === null || Math.abs(here - there) < LEAST_SHARE) {
    return null;
  }
  return { what: "kernel's share of CPU time", here: formatPercent(here), there: formatPercent(there) };
}

function differentFaults(here: number | null, there: number | null): Difference | null {
  if (here === null || there === null) {
    return null;
  }
  const more = Math.max(here, there);
  const fewer = Math.min(here, there);
  if (more < LEAST_FAULTS || more < LEAST_FACTOR * fewer) {
    return null;
  }
  const shown = (count: number) => formatCount(Math.round(count));
  return { what: "page faults a request", here: shown(here), there: shown(there) };
}
