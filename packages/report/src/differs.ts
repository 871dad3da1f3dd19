import { formatCount, formatPercent } from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { ofTarget } from "./case-report.ts";
import type { CaseReport } from "./data.ts";

/** Smallest difference of two shares that is written, as a fraction. */
const LEAST_SHARE_DIFFERENCE = 0.03;
/** Smallest ratio of two counts that is written. */
const LEAST_FACTOR = 1.5;
/** Number of page faults of a request from which on they are written. */
const LEAST_FAULTS = 10;

/** A fact in which a target differs from the baseline. */
interface DifferingFact {
  /** Name of the fact. */
  readonly what: string;
  /** Value of the target. */
  readonly here: string;
  /** Value of the baseline. */
  readonly there: string;
}

/**
 * Says what differs between a target and the baseline of a case, as one sentence: version and flags of the engine,
 * limit of the heap, the kernel's share of CPU time, page faults. It says that they differ, and never that they are
 * the cause. null where nothing known differs.
 *
 * @param spoken the target's name in the sentence.
 */
export function differsSentence(
  report: CaseReport,
  { identities }: Pick<Run, "identities">,
  target: string,
  spoken: string,
): string | null {
  const found = differingFactsOf(report, identities, target);
  if (found.length === 0) {
    return null;
  }
  const parts = found.map(({ what, here, there }) => `${what} ${here} / ${there}`);
  return `Differs on ${spoken}: ${parts.join("; ")}.`;
}

/** Finds the facts in which a target differs from the baseline. */
function differingFactsOf(
  report: CaseReport,
  identities: Run["identities"],
  target: string,
): readonly DifferingFact[] {
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

/** Gives the parts of a version that V8's releases are known by: "13.6" of "13.6.233.17-node.53". */
function shortVersion(version: string | null): string | null {
  return version === null ? null : (/^\d+\.\d+/.exec(version)?.[0] ?? version);
}

/** Writes the heap that a target may fill, by which its collector works; null where that is not known. */
function heapOf(identities: Run["identities"], target: string): string | null {
  const bytes = Number(identities[target]?.facts.heapLimitBytes ?? Number.NaN);
  return Number.isFinite(bytes) ? `${(bytes / 1e9).toFixed(1)} GB` : null;
}

function differentTexts(what: string, here: string | null, there: string | null): DifferingFact | null {
  return here === null || there === null || here === there ? null : { what, here, there };
}

function differentShares(here: number | null, there: number | null): DifferingFact | null {
  if (here === null || there === null || Math.abs(here - there) < LEAST_SHARE_DIFFERENCE) {
    return null;
  }
  return { what: "kernel's share of CPU time", here: formatPercent(here), there: formatPercent(there) };
}

function differentFaults(here: number | null, there: number | null): DifferingFact | null {
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
