import {
  ARTIFACT_APP,
  baselineAmong,
  formatDuration,
  OWN_SERVER_APP,
  QUICK,
  shellOption,
  sourceOfCase,
  USUAL_BASELINE,
} from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { counted } from "@evenbench/page";
import type { Run, RunPlan } from "@evenbench/results";
import { sum, type Verdict } from "@evenbench/stats";
import type { CaseReport, ReportData } from "./data.ts";
import { baselineOf } from "./names.ts";
import { caseWord, isOfOwnServers } from "./notices.ts";

/** Cases of the repository are measured in a clone, wherever the report is made. */
const IN_A_CLONE = "npm run bench --";
const USUAL_TRIALS = 5;

type Repeatable = Pick<Run, "plan" | "vantages">;

/** How long, how often and by what a run measured. null: nobody asked for it, so a run finds it by itself. */
interface Extent {
  readonly quick: boolean;
  readonly rounds: number | null;
  readonly trials: number | null;
  readonly warmUp: number | null;
  /** For each case; or for all together, where their times differ. */
  readonly time: TimeOption | null;
  readonly cold: number | null;
  readonly precision: number | null;
  readonly cpu: string | null;
}

interface TimeOption {
  readonly name: "--time" | "--total";
  readonly ms: number;
}

/** The command as people type it: without what a run has by itself. */
export function shortCommand(run: Repeatable): string {
  return commandOf(run, [], extentWords(extentOf(run.plan)));
}

/** The command that measures the same again: with all targets and the seed of the random order. */
export function repeatCommand({ plan, vantages }: Repeatable): string {
  const verb = vantages === undefined ? "run" : "--out vantages/again";
  return commandOf({ plan, vantages }, [verb, `--seed ${plan.seed}`], extentWords(extentOf(plan)));
}

function extentOf(plan: RunPlan): Extent {
  const { trials, coldStarts } = plan;
  return {
    quick: plan.quick === true,
    rounds: plan.roundsPerTrial,
    // Where nobody asks for a number, it depends on the time that there is.
    trials: trials.minimum === trials.maximum ? trials.minimum : null,
    warmUp: plan.warmUpExchanges,
    time: timeOf(plan),
    cold: coldStarts === 0 ? null : coldStarts,
    precision: plan.precision,
    cpu: plan.cpu ?? null,
  };
}

function extentWords({
  quick,
  rounds,
  trials,
  warmUp,
  time,
  cold,
  precision,
  cpu,
}: Extent): readonly string[] {
  const words: string[] = [];
  const add = (name: string, value: string | number | null): void => {
    if (value !== null) {
      words.push(shellOption(name, String(value)));
    }
  };
  if (quick) {
    words.push("--quick");
  }
  // What --quick sets by itself is left out.
  add("--rounds", quick && rounds === QUICK.rounds ? null : rounds);
  add("--trials", quick && trials === QUICK.trials ? null : trials);
  add("--warm-up", quick && warmUp === QUICK.warmUp ? null : warmUp);
  if (time !== null) {
    add(time.name, durationWord(time.ms));
  }
  add("--cold", cold);
  add("--precision", precision);
  add("--cpu", cpu);
  return words;
}

/** As people write it: "90s", or "1234ms" where it is no whole number of seconds. */
function durationWord(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** The options that every command keeps: with other settings the work is another one. */
function workWords({ workers, serverCores, gauge, allowedPins }: RunPlan): readonly string[] {
  const words: string[] = [];
  if (serverCores !== "all") {
    words.push(`--server-cores ${serverCores}`);
  }
  if (workers !== 1) {
    words.push(`--workers ${workers}`);
  }
  if (gauge === false) {
    words.push("--no-gauge");
  }
  for (const pin of allowedPins) {
    words.push(shellOption("--allow", pin));
  }
  return words;
}

/** The whole command. Without a verb, targets that a run has by itself are left out. */
function commandOf(
  { plan, vantages }: Repeatable,
  verb: readonly string[] = [],
  options: readonly string[] = [],
): string {
  const isOwn = isOfOwnServers(plan);
  const namesTargets = verb.length > 0 || !hasUsualTargets(plan);
  const words: string[] = [isOwn ? EVENBENCH : IN_A_CLONE];
  if (vantages !== undefined) {
    words.push("vantages plan");
  }
  words.push(...verb);
  if (isOwn) {
    words.push(...ownServerWords(plan));
  } else {
    words.push(...caseWords(plan));
    if (namesTargets) {
      words.push(...targetWords(plan));
    }
  }
  words.push(...baselineWords(plan), ...workWords(plan), ...options);
  return words.join(" ").replace(/ --$/, "");
}

/** Why something has no verdict, and the command that measures it again so that it may have one. */
export interface Mending {
  readonly reason: string;
  readonly command: string;
}

/** Each command keeps everything that made the run, but for what its reason speaks of. */
export function suggestedCommands({ run, cases }: Pick<ReportData, "run" | "cases">): readonly Mending[] {
  if (run.vantages !== undefined) {
    return [];
  }
  const ofVerdict = (word: Verdict) =>
    cases.filter(({ headline }) => headline?.comparisons.some(({ verdict }) => verdict === word));
  const mending = (
    what: string,
    how: string,
    reports: readonly CaseReport[],
    change: (extent: Extent) => Partial<Extent>,
  ): readonly Mending[] => {
    if (reports.length === 0) {
      return [];
    }
    const plan = { ...run.plan, cases: reports.map(({ manifest }) => manifest) };
    const reason = `${what} (${counted(reports.length, caseWord(plan))}): ${how}:`;
    const extent = extentOf(plan);
    return [{ reason, command: commandOf({ plan }, [], extentWords({ ...extent, ...change(extent) })) }];
  };
  const { neededMs = {} } = run.plan;
  const undecided = ofVerdict("inconclusive");
  const cold = ofVerdict("not warm");
  const short = [...new Set([...cold, ...undecided])].filter(({ manifest: { id } }) => id in neededMs);
  const most = Math.max(0, ...short.map(({ manifest: { id } }) => neededMs[id] ?? 0));
  const few = [...new Set([...cold, ...undecided.filter(hasFewTrials(run.plan))])].filter(notIn(short));
  const open = undecided.filter(notIn([...short, ...few]));
  const trials = open.flatMap(({ headline }) => headline?.summaries.map(({ trials }) => trials) ?? []);
  const had = Math.max(1, ...trials);
  const more = 2 * Math.max(USUAL_TRIALS, had);
  const widths = "the interval is too wide to call. More trials narrow it";
  const isFixed = run.plan.warmUpExchanges !== null;
  const falls = `times still fell. ${isFixed ? "Let the run find the warm-up that they need" : "More time warms more trials"}`;
  return [
    ...mending("Too little time", `warm trials need about ${formatDuration(most)}`, short, () => ({
      time: { name: "--time", ms: most },
    })),
    ...mending("Inconclusive", widths, open, ({ time }) => ({
      trials: more,
      // Each trial keeps the time that it had.
      time: time === null ? null : { ...time, ms: Math.ceil((time.ms * more) / had / 1000) * 1000 },
    })),
    ...mending("Too few warm trials", falls, few, () =>
      // A search for the warm-up takes the time that it takes.
      isFixed ? { warmUp: null, time: null } : { time: { name: "--time", ms: moreTimeMs(run, few) } },
    ),
  ];
}

const notIn = (others: readonly CaseReport[]) => (report: CaseReport) => !others.includes(report);

/** In the time that was asked for. */
const hasFewTrials =
  ({ caseBudgetMs, trials }: RunPlan) =>
  ({ manifest: { id }, headline }: CaseReport) =>
    id in caseBudgetMs && headline?.comparisons.some(({ byTrial }) => byTrial.length < trials.minimum);

const USUAL_TIME_MS = 180_000;
const LEAST_TIME_MS = 30_000;

/** Twice what there was, or more where warm-up got less than half of what it needs. In whole seconds. */
function moreTimeMs(
  { plan, warmUps }: Pick<Run, "plan" | "warmUps">,
  reports: readonly CaseReport[],
): number {
  const times = reports.map(({ manifest: { id } }) => {
    const warmUpsOfCase = warmUps.filter(({ caseId }) => caseId === id);
    const missing = warmUpsOfCase.map(({ needed, exchanges }) => (needed ?? 0) / Math.max(1, exchanges));
    return Math.max(2, 1.25 * Math.max(0, ...missing)) * (plan.caseBudgetMs[id] ?? 0);
  });
  const ms = Math.max(0, ...times);
  return ms === 0 ? USUAL_TIME_MS : Math.max(LEAST_TIME_MS, Math.ceil(ms / 1000) * 1000);
}

function hasUsualTargets({ targets, usualPlatforms }: RunPlan): boolean {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const byApp = [...Map.groupBy(originals, ({ app }) => app).values()];
  const platformsOf = (appTargets: RunPlan["targets"]) => appTargets.map(({ platform }) => platform).sort();
  const usual = usualPlatforms?.toSorted().join(" ");
  return (
    originals.every(({ place }) => place === "local") &&
    byApp.every((appTargets) => platformsOf(appTargets).join(" ") === usual)
  );
}

/** None where the command has the same cases by itself: with an app named it would have all of that app's. */
function caseWords(plan: RunPlan): readonly string[] {
  const ids = plan.cases.map(({ id }) => id);
  const isUsual =
    plan.usualCases?.toSorted().join() === ids.toSorted().join() && appsOfUrls(plan).length === 0;
  return isUsual ? [] : [shellOption("--case", ids.join(","))];
}

/** Values of headers that may be secrets are for the reader to fill in. */
function ownServerWords({ targets, cases, sameWork }: RunPlan): readonly string[] {
  const { request, masks } = cases[0] ?? {};
  const { method = "GET", headers = [], body = null } = request ?? {};
  return [
    ...targets.flatMap(({ name, url, command, copyOf }) =>
      copyOf === null
        ? [shellOption("--target", `${name}=${command === undefined ? url : `cmd: ${command}`}`)]
        : [],
    ),
    ...cases.map(({ path }) => shellOption("--path", path)),
    ...(masks ?? []).map(({ pattern }) => shellOption("--mask", pattern)),
    ...headers.map((header) => shellOption("--header", header)),
    ...(method === (body === null ? "GET" : "POST") ? [] : [shellOption("--method", method)]),
    ...(body === null ? [] : [shellOption("--body", body.file)]),
    ...(sameWork === undefined ? [] : [`--same-work ${sameWork}`]),
  ];
}

function targetWords(plan: RunPlan): readonly string[] {
  return [
    ...appsOfUrls(plan).map((app) => shellOption("--app", app)),
    ...plan.targets.flatMap(({ name, url, copyOf }) =>
      copyOf === null ? [shellOption("--target", url === null ? name : `${name}=${url}`)] : [],
    ),
  ];
}

/** Times that differ are parts of one for all, which each day divides anew. */
function timeOf({ caseBudgetMs, cases }: RunPlan): TimeOption | null {
  const times = cases.flatMap(({ id }) => caseBudgetMs[id] ?? []);
  const [first] = times;
  if (first === undefined) {
    return null;
  }
  // Parts of a whole number do not add up to it by themselves.
  return new Set(times).size > 1
    ? { name: "--total", ms: Number(sum(times).toFixed(3)) }
    : { name: "--time", ms: first };
}

/** A URL serves the first app that is named. */
function appsOfUrls({ targets }: RunPlan): readonly string[] {
  const ofUrls = targets.filter(({ place }) => place === "url").map(({ app }) => app);
  if (ofUrls.every((app) => app === ARTIFACT_APP)) {
    return [];
  }
  return [...new Set([...ofUrls, ...targets.map(({ app }) => app)])];
}

/** One word that gives every app the baseline that it had; none where that is the usual one. */
function baselineWords({ targets }: RunPlan): readonly string[] {
  // Servers that run already have no copy: there the baseline comes first.
  const apps = [...Map.groupBy(targets, ({ app }) => app).values()].filter((all) =>
    all.some(({ copyOf, app }) => copyOf !== null || app === OWN_SERVER_APP),
  );
  const baselines = apps.map(baselineOf);
  const fits = (word: string) =>
    apps.every((appTargets, index) => {
      const originals = appTargets.filter(({ copyOf }) => copyOf === null);
      return baselineAmong(originals, word)?.name === baselines[index];
    });
  const baseline = [USUAL_BASELINE, ...baselines].find(fits);
  return baseline === undefined || baseline === USUAL_BASELINE ? [] : [shellOption("--baseline", baseline)];
}

export function caseLinks({ manifest, targets }: Pick<CaseReport, "manifest" | "targets">, run: Run) {
  const { plan, source } = run;
  const caseTargets = plan.targets.filter(({ name }) => targets.includes(name));
  const path = isOfOwnServers(plan)
    ? null
    : (manifest.source ?? sourceOfCase(caseTargets[0]?.app ?? "", manifest.id));
  const isKnown = path !== null && source?.repository != null && !source.changed;
  return {
    /** In the repository; null of servers that know nothing of Evenbench. */
    path,
    url: isKnown ? `${source.repository}/blob/${source.commit}/${path}` : null,
    command: shortCommand({ ...run, plan: { ...plan, cases: [manifest], targets: caseTargets } }),
  };
}
