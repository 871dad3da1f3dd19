// Whether verdicts stand where the client's own process had to wait.
import { cautionNotice, counted, listed, type Notice, noticesOf } from "@evenbench/page";
import { isDecided, isDifference, type Verdict } from "@evenbench/stats";
import { AUDITS } from "./audit.ts";
import { ofTarget } from "./case-report.ts";
import type { CaseReport } from "./data.ts";

/** Largest number of cases that a title names: more are counted. */
const MOST_NAMED = 3;

/** A verdict on time beside that on CPU time. */
interface CheckedVerdict {
  /** Id of the case. */
  readonly id: string;
  readonly target: string;
  /** The verdict on time, which is decided. */
  readonly time: Verdict;
  /** The verdict on CPU time; null where the case has none. */
  readonly cpu: Verdict | null;
}

/**
 * Makes the notice of cases in which the client's process was kept from running, with what CPU time says of each
 * verdict on time. Turns spread the client's waiting over all targets, so that it hides differences rather than making
 * them, and it is not in CPU time. Empty where no case is affected.
 *
 * @param word for what the run measured.
 */
export function clientTimingNotices(cases: readonly CaseReport[], word: "case" | "path"): readonly Notice[] {
  const late = cases.filter(({ audit }) => audit.some(({ kind }) => kind === "client-late"));
  const checked = late.flatMap(checkedVerdicts);
  const differences = checked.filter(({ time }) => isDifference(time));
  const same = checked.filter(({ time }) => time === "same");
  const ids = late.map(({ manifest }) => manifest.id);
  const where = ids.length > MOST_NAMED ? counted(ids.length, word) : listed(ids);
  const title = `${AUDITS["client-late"].title} in ${where}${titleEnd(differences)}`;
  const sentences = [
    ...(checked.length === 0 ? ["No verdict on time rests on it."] : differenceSentences(differences)),
    "Times contain the client's waiting, which turns spread over all targets; CPU time does not.",
    ...sameSentences(same),
    "For better times measure again while nothing else runs.",
  ];
  return noticesOf(
    cautionNotice(title, sentences.join(" ")),
    late.flatMap((report) => detailsOf(report)),
  );
}

/** Lists the decided verdicts on time of a case, each with that on CPU time. */
function checkedVerdicts({ manifest, headline, cpuTime }: CaseReport): readonly CheckedVerdict[] {
  return (headline?.comparisons ?? []).flatMap(({ target, verdict: time }) => {
    const cpu = ofTarget(cpuTime?.comparisons, target);
    return isDecided(time) ? [{ id: manifest.id, target, time, cpu: cpu?.verdict ?? null }] : [];
  });
}

/** Tells whether CPU time has the same verdict as time. */
function agrees({ time, cpu }: CheckedVerdict): boolean {
  return time === cpu;
}

/** Writes behind the cases of the title what CPU time says of their differences; empty where they have none. */
function titleEnd(differences: readonly CheckedVerdict[]): string {
  if (differences.length === 0) {
    return "";
  }
  if (differences.every(({ cpu }) => cpu === null)) {
    return ": no CPU time to check it";
  }
  return `: CPU time agrees with ${ofAll(differences.filter(agrees).length, differences.length)} there`;
}

/** Writes how many of some differences are meant: "all 3 differences", "2 of 3 differences", "the difference". */
function ofAll(count: number, all: number): string {
  if (count < all) {
    return `${count} of ${counted(all, "difference")}`;
  }
  return all === 1 ? "the difference" : `all ${all} differences`;
}

/** Says whether the differences that were found in time stand; empty where none were found. */
function differenceSentences(differences: readonly CheckedVerdict[]): readonly string[] {
  const [first] = differences;
  if (first === undefined) {
    return [];
  }
  const confirmed = differences.filter(agrees).length;
  if (confirmed === differences.length) {
    return [confirmed === 1 ? "That verdict stands." : "These verdicts stand."];
  }
  const others = differences.filter((each) => !agrees(each)).map(({ id, target }) => `${id} (${target})`);
  const open = `Of ${listed(others)} time alone speaks: measure that again before you rely on it.`;
  return confirmed === 0 ? [open] : [`What CPU time agrees with stands. ${open}`];
}

/** Says how sure "same" is in time that contains the client's waiting; empty where nothing is the same. */
function sameSentences(same: readonly CheckedVerdict[]): readonly string[] {
  if (same.length === 0) {
    return [];
  }
  const confirmed = same.filter(agrees).length;
  if (confirmed === same.length) {
    return ['"Same" stands, too: CPU time says so as well.'];
  }
  return [
    `"Same" is less sure there (CPU time says so in ${confirmed} of ${same.length}): waiting can hide a small difference.`,
  ];
}

/** Words of a verdict on CPU time: less CPU time is not faster. */
const CPU_WORDS: Readonly<Partial<Record<Verdict, string>>> = { faster: "less", slower: "more" };

/** Writes what was found of the client in a case, with the verdicts on time and on CPU time. */
function detailsOf(report: CaseReport): readonly string[] {
  const verdicts = checkedVerdicts(report).map(({ target, time, cpu }) => {
    const ofCpu = cpu === null ? "not known" : (CPU_WORDS[cpu] ?? cpu);
    return `${target} ${time} (CPU time: ${ofCpu})`;
  });
  const beside = verdicts.length === 0 ? "" : `; ${verdicts.join(", ")}`;
  return report.audit.filter(({ kind }) => kind === "client-late").map(({ detail }) => `${detail}${beside}`);
}
