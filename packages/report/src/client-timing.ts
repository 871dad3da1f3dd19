// Whether verdicts stand where the client's own process had to wait.
import {
  cautionNotice,
  counted,
  formatSingleChange,
  listed,
  type Notice,
  noticesOf,
  partOf,
} from "@evenbench/page";
import type { Run } from "@evenbench/results";
import { type Comparison, isDecided, isDifference, median, smallest } from "@evenbench/stats";
import { AUDITS } from "./audit.ts";
import { ofTarget } from "./case-report.ts";
import type { CaseReport } from "./data.ts";

/** Largest number of cases that a title names: more are counted. */
const MOST_NAMED = 3;
/**
 * Largest lateness of the client, as a fraction of the fastest target's median, at which the size of a change is still
 * about the servers: a convention.
 */
const LARGE_DELAY = 0.5;

/** A verdict with the ratio that it was read off. */
type JudgedRatio = Pick<Comparison, "verdict" | "ratio">;

/** A verdict on time beside that on CPU time. */
interface CheckedVerdict {
  /** Id of the case. */
  readonly id: string;
  readonly target: string;
  /** The comparison of times, which is decided. */
  readonly time: JudgedRatio;
  /** The comparison of CPU time; null where the case has none. */
  readonly cpu: JudgedRatio | null;
}

/**
 * Makes the notice of cases in which the client's process was kept from running, with what CPU time says of each
 * verdict on time. Turns spread the client's waiting over all targets, so that it hides differences rather than making
 * them, and it is not in CPU time. Empty where no case is affected.
 *
 * @param clientLoad how busy and how late the run's client was.
 * @param word for what the run measured.
 */
export function clientTimingNotices(
  cases: readonly CaseReport[],
  clientLoad: Run["clientLoad"],
  word: "case" | "path",
): readonly Notice[] {
  const late = cases.filter(isLate);
  const checked = late.flatMap(checkedVerdicts);
  const differences = checked.filter(isOfDifference);
  const same = checked.filter(({ time }) => time.verdict === "same");
  const unsureSame = checked.filter(isUnsureSame);
  const veryLate = late.filter((report) => isVeryLate(report, clientLoad)).map(({ manifest }) => manifest.id);
  const unsureSize = differences.filter(({ id }) => veryLate.includes(id));
  const namesOf = (ids: readonly string[]) => {
    const all = [...new Set(ids)];
    return all.length > MOST_NAMED ? counted(all.length, word) : listed(all);
  };
  const says = [
    ...standingWords(differences),
    ...unsureWords(namesOf(unsureSame.map(({ id }) => id)), namesOf(unsureSize.map(({ id }) => id))),
  ];
  const where = namesOf(late.map(({ manifest }) => manifest.id));
  const title = `${AUDITS["client-late"].title} in ${where}${says.length === 0 ? "" : `: ${says.join(", ")}`}`;
  const sentences = [
    ...(checked.length === 0 ? ["No verdict on time rests on it."] : unconfirmedSentences(differences)),
    "Times contain the client's waiting, CPU time does not.",
    "Turns spread it over all targets, so that it can hide a small difference.",
    ...(unsureSize.length === 0
      ? []
      : ["Where it is more than half of a request, compare the change of CPU time."]),
    ...(same.length > 0 && unsureSame.length === 0 ? ['"Same" stands, too: CPU time says so as well.'] : []),
    "For better times measure again while nothing else runs.",
  ];
  return noticesOf(
    cautionNotice(title, sentences.join(" ")),
    late.flatMap((report) => detailsOf(report)),
  );
}

/**
 * Tells whether a verdict on time of a case is less sure than it looks, since the client's process was kept from running:
 * "same" where CPU time does not say so, too, and the size of a difference where the client's lateness was a large part
 * of a request. What is compared by CPU time is not affected.
 *
 * @param clientLoad how busy and how late the run's client was.
 */
export function isLessSure(report: CaseReport, clientLoad: Run["clientLoad"]): boolean {
  if (!isLate(report) || report.headline?.metric === "cpuMs") {
    return false;
  }
  const checked = checkedVerdicts(report);
  return checked.some(isUnsureSame) || (checked.some(isOfDifference) && isVeryLate(report, clientLoad));
}

/** Tells whether the client's process was kept from running while a case was measured. */
function isLate({ audit }: CaseReport): boolean {
  return audit.some(({ kind }) => kind === "client-late");
}

/** Tells whether times are the same, and CPU time does not say so, too. */
function isUnsureSame(each: CheckedVerdict): boolean {
  return each.time.verdict === "same" && !agrees(each);
}

/** Lists the decided verdicts on time of a case, each with that on CPU time. */
function checkedVerdicts({ manifest, headline, cpuTime }: CaseReport): readonly CheckedVerdict[] {
  return (headline?.comparisons ?? []).flatMap((time) => {
    const cpu = ofTarget(cpuTime?.comparisons, time.target);
    return isDecided(time.verdict) ? [{ id: manifest.id, target: time.target, time, cpu }] : [];
  });
}

/** Tells whether the client's lateness in a case was a large part of a request. */
function isVeryLate({ manifest, headline }: CaseReport, clientLoad: Run["clientLoad"]): boolean {
  const ofCase = clientLoad.filter(({ caseId }) => caseId === manifest.id);
  const medians = (headline?.summaries ?? []).flatMap(({ medianMs }) => medianMs ?? []);
  if (ofCase.length === 0 || medians.length === 0) {
    return false;
  }
  return (
    median(ofCase.map(({ eventLoopDelayP90Ms }) => eventLoopDelayP90Ms)) > LARGE_DELAY * smallest(medians)
  );
}

/** Tells whether times differ. */
function isOfDifference({ time }: CheckedVerdict): boolean {
  return isDifference(time.verdict);
}

/** Tells whether CPU time has the same verdict as time: of a difference, the same direction. */
function agrees({ time, cpu }: CheckedVerdict): boolean {
  return time.verdict === cpu?.verdict;
}

/**
 * Writes which differences stand: '"faster" and "slower" stand (CPU time has the same direction in all 3 differences)'; empty where
 * there are none.
 */
function standingWords(differences: readonly CheckedVerdict[]): readonly string[] {
  if (differences.length === 0) {
    return [];
  }
  if (differences.every(({ cpu }) => cpu === null)) {
    return ["no CPU time to check it"];
  }
  const confirmed = differences.filter(agrees).length;
  const direction = "CPU time has the same direction";
  if (confirmed < differences.length) {
    return [`${direction} in ${partOf(confirmed, differences.length, "difference")}`];
  }
  const verdicts = [...new Set(differences.map(({ time }) => `"${time.verdict}"`))].sort();
  const where = confirmed === 1 ? "" : ` in ${partOf(confirmed, confirmed, "difference")}`;
  return [`${listed(verdicts)} ${verdicts.length === 1 ? "stands" : "stand"} (${direction}${where})`];
}

/** Writes what is less sure. @param same names of the cases in which "same" is. @param size those of sizes. */
function unsureWords(same: string, size: string): readonly string[] {
  const ofSize = "the size of the change";
  if (same === size) {
    return same === "" ? [] : [`"same" and ${ofSize} are less sure in ${same}`];
  }
  return [
    ...(same === "" ? [] : [`"same" is less sure in ${same}`]),
    ...(size === "" ? [] : [`${ofSize} is less sure in ${size}`]),
  ];
}

/** Names the differences of which time alone speaks; empty where there are none. */
function unconfirmedSentences(differences: readonly CheckedVerdict[]): readonly string[] {
  const others = differences.filter((each) => !agrees(each)).map(({ id, target }) => `${id} (${target})`);
  if (others.length === 0) {
    return [];
  }
  const open = `Of ${listed(others)} time alone speaks: measure that again before you rely on it.`;
  return others.length === differences.length ? [open] : [open, "The other differences stand."];
}

/** Writes what was found of the client in a case, with the changes of time and of CPU time side by side. */
function detailsOf(report: CaseReport): readonly string[] {
  const verdicts = checkedVerdicts(report).map(({ target, time, cpu }) => {
    return `${target} ${time.verdict} (time${changeOf(time)}, ${cpuWords(cpu)})`;
  });
  const beside = verdicts.length === 0 ? "" : `; ${verdicts.join(", ")}`;
  return report.audit.filter(({ kind }) => kind === "client-late").map(({ detail }) => `${detail}${beside}`);
}

/** Writes the estimate of a change behind a blank: " −8 %"; empty where there is none. */
function changeOf({ ratio }: JudgedRatio): string {
  return ratio === null ? "" : ` ${formatSingleChange(ratio.estimate)}`;
}

/** Writes what CPU time says: "CPU time −40 %", "CPU time unclear". */
function cpuWords(cpu: JudgedRatio | null): string {
  if (cpu === null) {
    return "CPU time not known";
  }
  const change = changeOf(cpu);
  return isDifference(cpu.verdict) && change !== "" ? `CPU time${change}` : `CPU time ${cpu.verdict}`;
}
