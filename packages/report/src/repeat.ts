import {
  ARTIFACT_APP,
  baselineAmong,
  formatDuration,
  OWN_SERVER_APP,
  openRecord,
  shellOption,
  shellWord,
  sourceOfCase,
  USUAL_BASELINE,
} from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { counted } from "@evenbench/page";
import { type OwnAppRecord, type Run, type RunPlan, settingWords, timeOfPlan } from "@evenbench/results";
import { type Comparison, chanceOfVerdict, halfWidthWith, mean, sum, type Verdict } from "@evenbench/stats";
import type { CaseReport, ReportData } from "./data.ts";
import { baselineOf } from "./names.ts";
import { caseWord, isOfOwnServers } from "./notices.ts";
import type { TrialSpan } from "./series.ts";

/** The command for cases of the repository: they are measured in a clone, wherever the report is made. */
export const IN_A_CLONE = "npm run bench --";
/** Smallest number of trials that is doubled where more are suggested. */
const USUAL_TRIALS = 5;
/** The chance of a verdict from which on a longer run is said to decide a comparison probably. */
const PROBABLE_CHANCE = 2 / 3;

/** The part of a run's record that a command is made of. */
type Repeatable = Pick<Run, "plan" | "vantages">;

/** Writes the command as people type it: without what a run has by itself. */
export function shortCommand(run: Repeatable): string {
  return commandForPlan(run);
}

/** Writes the command that makes the same plan again, with its seed. */
export function repeatCommand({ plan, vantages }: Repeatable): string {
  const verb = vantages === undefined ? "run" : "--out vantages/again";
  return commandForPlan({ plan, vantages }, [verb, `--seed ${plan.seed}`]);
}

/**
 * Writes a command.
 *
 * @param verb words behind the program; without them, targets that a run has by itself are left out.
 */
function commandForPlan({ plan, vantages }: Repeatable, verb: readonly string[] = []): string {
  const state = nameOfStates(plan);
  if (state !== null) {
    return againstCommand(plan, state);
  }
  const isOwn = isOfOwnServers(plan);
  const words = [
    ...(isOwn ? [EVENBENCH] : [IN_A_CLONE]),
    ...(vantages === undefined ? verbWords(plan, verb) : ["vantages plan", ...verb]),
    ...(isOwn ? ownServerWords(plan) : caseWords(plan)),
    ...coldWords(plan),
    ...(isOwn || (verb.length === 0 && hasUsualTargets(plan)) ? [] : targetWords(plan)),
    ...baselineWords(plan),
    ...settingWords(plan),
  ];
  return words.join(" ").replace(/ --$/, "");
}

/** Gives the name of the one target of which a run compares two states, as `against` names them; null for any other run. */
function nameOfStates(plan: RunPlan): string | null {
  // Own servers may have such names without it.
  if (isOfOwnServers(plan) && plan.ownApp?.against === undefined) {
    return null;
  }
  const [base = "", head = "", ...others] = plan.targets
    .filter(({ copyOf }) => copyOf === null)
    .map(({ name }) => name);
  const [, name] = /^(.+)\.base$/.exec(base) ?? [];
  return name !== undefined && head === `${name}.head` && others.length === 0 ? name : null;
}

/** The pin by which two states differ in any case: `against` allows it by itself. */
const DIFFERS_ANYWAY = "artifact";

/** Writes the command of two states. No record of the repository's own targets has the commit: the reader fills it in. */
function againstCommand(plan: RunPlan, target: string): string {
  const { ownApp } = plan;
  const words =
    ownApp?.against === undefined
      ? [IN_A_CLONE, "against <commit>", shellOption("--target", target), ...caseWords(plan)]
      : [
          EVENBENCH,
          "against",
          ...statesWords(ownApp.against),
          ...againstAppWords(ownApp, target),
          ...requestWords(plan),
        ];
  const { allowedPins } = plan;
  const settings = settingWords({
    ...plan,
    allowedPins: allowedPins.filter((pin) => pin !== DIFFERS_ANYWAY),
  });
  const taken = settings.filter((word) => /^--(?:time|allow)\b/.test(word));
  return [...words, ...taken].join(" ");
}

/** Writes with what a user's app is compared: a commit, a folder, or other versions of packages. */
function statesWords({ base, withPackages }: NonNullable<OwnAppRecord["against"]>): readonly string[] {
  return [
    ...(base === null ? [] : [shellWord(base)]),
    ...withPackages.map((words) => shellOption("--with", words)),
  ];
}

/** Writes the options of a user's app of which one target was compared. */
function againstAppWords(ownApp: OwnAppRecord, target: string): readonly string[] {
  return [shellOption("--own-app", ownApp.folder), ...ownAppWords({ ...ownApp, on: [target] })];
}

/** Writes the option that switches cold starts off: `app` measures them by itself, but for smoke tests. */
function coldWords({ ownApp, coldStarts, quick }: RunPlan): readonly string[] {
  return ownApp !== undefined && coldStarts === 0 && quick !== true ? ["--cold 0"] : [];
}

/** Writes the command's verb. A user's app has one of its own, which is never left out. */
function verbWords({ ownApp }: RunPlan, verb: readonly string[]): readonly string[] {
  return ownApp === undefined
    ? verb
    : ["app", shellWord(ownApp.folder), ...verb.filter((word) => word !== "run")];
}

/** A command that measures something again which has no verdict, so that it may have one. */
export interface Mending {
  /** Why it has none, and what would help: words with a colon at their end. */
  readonly reason: string;
  /** The command line. */
  readonly command: string;
}

/**
 * Gives what to do about cases without a verdict. Each command keeps all of the run's plan but for what its
 * reason is about.
 */
export function suggestedCommands(data: Pick<ReportData, "run" | "cases">): readonly Mending[] {
  const { run, cases } = data;
  if (run.vantages !== undefined) {
    return [];
  }
  const { plan } = run;
  const undecided = cases.filter((report) => hasVerdict(report, "unclear"));
  const cold = cases.filter((report) => hasVerdict(report, "not warm"));
  const candidates = [...new Set([...cold, ...undecided])];
  const short = candidates.filter(({ manifest }) => manifest.id in (plan.neededMs ?? {}));
  const few = candidates.filter(
    (report) => !short.includes(report) && (cold.includes(report) || hasFewTrials(plan, report)),
  );
  const open = undecided.filter((report) => !short.includes(report) && !few.includes(report));
  return [...moreTimeFor(run, short), ...moreTrialsFor(data, open), ...moreWarmTrialsFor(run, few)];
}

/** Tells whether a comparison of the case has this verdict. */
function hasVerdict({ headline }: CaseReport, word: Verdict): boolean {
  return headline?.comparisons.some(({ verdict }) => verdict === word) ?? false;
}

/** Tells whether the time that was asked for had no room for as many trials as the plan has at least. */
function hasFewTrials({ caseLimitMs, trials }: RunPlan, { manifest, headline }: CaseReport): boolean {
  if (!(manifest.id in caseLimitMs)) {
    return false;
  }
  return headline?.comparisons.some(({ byTrial }) => byTrial.length < trials.minimum) ?? false;
}

/** Suggests more time for cases whose time was too short for warm trials. */
function moreTimeFor({ plan }: Run, reports: readonly CaseReport[]): readonly Mending[] {
  const neededMs = Math.max(0, ...reports.map(({ manifest }) => plan.neededMs?.[manifest.id] ?? 0));
  const how = `warm trials need about ${formatDuration(neededMs)}`;
  return mending("Too little time", how, plan, reports, () => ({ caseLimitMs: equalTimes(plan, neededMs) }));
}

/** Suggests more trials for cases that are warm, and whose interval is too wide. */
function moreTrialsFor(
  { run, cases }: Pick<ReportData, "run" | "cases">,
  reports: readonly CaseReport[],
): readonly Mending[] {
  const { plan } = run;
  const trials = reports.flatMap(({ headline }) => headline?.summaries.map(({ trials }) => trials) ?? []);
  const had = Math.max(1, ...trials);
  const open = comparisonsOf(reports).filter(({ verdict }) => verdict === "unclear");
  const more = trialsThatDecide(open, 2 * Math.max(USUAL_TRIALS, had));
  const how =
    longerRunWords(open, trialsWithTime(cases, reports, more), more) ??
    `${trialsWithTime(cases, reports, more)} may narrow the intervals`;
  const all = comparisonsOf(cases);
  const what = `Time is unclear in ${open.length} of ${counted(all.length, "comparison")}`;
  return mending(what, how, plan, reports, (repeated) => ({
    trials: { minimum: more, maximum: more },
    // Each trial keeps the time that it had.
    caseLimitMs: timesForTrials(repeated, more, had),
  }));
}

/** Lists the comparisons of cases by the headline of each. */
function comparisonsOf(cases: readonly CaseReport[]): readonly Comparison[] {
  return cases.flatMap(({ headline }) => headline?.comparisons ?? []);
}

/** Gives the number of trials to suggest: twice as many where these alone would probably decide all that is open. */
function trialsThatDecide(open: readonly Comparison[], trials: number): number {
  const isEnough = (number: number) => countDecided(open, number) === open.length;
  return !isEnough(trials) && isEnough(2 * trials) ? 2 * trials : trials;
}

/** Counts the comparisons that a run with so many trials would probably decide. */
function countDecided(open: readonly Comparison[], trials: number): number {
  return open.filter((comparison) => (chanceOfVerdict(comparison, trials) ?? 0) >= PROBABLE_CHANCE).length;
}

/**
 * Says what a longer run buys, by the run's own variances and times: "10 trials (about 25 min) would bring them to
 * within 4 to 9 %, and probably decide 3 of these 9"; null where no interval says how. Of comparisons without an interval
 * it says nothing: "would bring the 2 with an interval to within 11 %".
 *
 * @param open the comparisons that are measured again.
 * @param duration the trials in words, with their time.
 */
function longerRunWords(open: readonly Comparison[], duration: string, trials: number): string | null {
  const known = open.flatMap((comparison) => {
    const width = halfWidthWith(comparison, trials);
    return width === null ? [] : [{ comparison, width }];
  });
  if (known.length === 0) {
    return null;
  }
  const widths = known.map(({ width }) => width);
  const ends = [Math.min(...widths), Math.max(...widths)].map((width) =>
    Math.max(1, Math.round(100 * width)),
  );
  const within = `${[...new Set(ends)].join(" to ")} %`;
  const them = narrowedWords(known.length, open.length);
  const narrowed = `${duration} would bring ${them} to within ${within}`;
  const decided = countDecided(
    known.map(({ comparison }) => comparison),
    trials,
  );
  const pronoun = known.length === 1 ? "it" : "them";
  if (decided === 0) {
    return `${narrowed}, which may not decide ${pronoun}`;
  }
  if (decided === known.length) {
    return `${narrowed}, and probably decide ${pronoun}`;
  }
  return `${narrowed}, and probably decide ${decided} of these ${known.length}`;
}

/** Names the comparisons that have an interval. @param of the number of all that are measured again. */
function narrowedWords(known: number, of: number): string {
  if (known < of) {
    return `the ${known === 1 ? "one" : known} with an interval`;
  }
  return of === 1 ? "it" : "them";
}

/** "10 trials (about 25 min)", by what the run's trials took. */
function trialsWithTime(
  cases: readonly CaseReport[],
  reports: readonly CaseReport[],
  trials: number,
): string {
  const ms = expectedMs(cases, reports, trials);
  if (ms === 0) {
    return counted(trials, "trial");
  }
  const rounded = ms < 60_000 ? ms : Math.round(ms / 60_000) * 60_000;
  return `${counted(trials, "trial")} (about ${formatDuration(rounded)})`;
}

/**
 * How long a run of some cases takes with so many trials of each, in milliseconds, by what this run took: its checks
 * before the first trial, its first trials, in which the warm-up may be searched for, its later ones, and the starts
 * between them.
 *
 * @param cases all cases of the run.
 * @param reports those of them that are measured again.
 */
export function expectedMs(
  cases: readonly Pick<CaseReport, "spent">[],
  reports: readonly Pick<CaseReport, "spent">[],
  trials: number,
): number {
  const spans = cases.flatMap(({ spent }) => spent.trials);
  if (spans.length === 0) {
    return 0;
  }
  const beganMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const endedMs = Math.max(...spans.map(({ untilMs }) => untilMs));
  // Trials come one after the other: what lies between them are stops and starts.
  const betweenMs =
    spans.length < 2 ? 0 : (endedMs - beganMs - sum(spans.map(lengthOfTrial))) / (spans.length - 1);
  const trialsMs = reports.map(({ spent }) => {
    const [first = 0, ...later] = spent.trials.map(lengthOfTrial);
    return first + (trials - 1) * (later.length === 0 ? first : mean(later)) + trials * betweenMs;
  });
  return beganMs + sum(trialsMs);
}

/** How long a trial sent requests, in milliseconds. */
function lengthOfTrial({ fromMs, untilMs }: TrialSpan): number {
  return untilMs - fromMs;
}

/** Suggests more warm-up for cases of which too few trials were warm. */
function moreWarmTrialsFor(run: Run, reports: readonly CaseReport[]): readonly Mending[] {
  const { plan } = run;
  if (plan.warmUpExchanges !== null) {
    const how = "times still fell. Let the run find the warm-up that they need";
    // A search for the warm-up takes the time that it takes.
    return mending("Too few warm trials", how, plan, reports, () => ({
      warmUpExchanges: null,
      caseLimitMs: openRecord(),
    }));
  }
  const how = "times still fell. More time warms more trials";
  return mending("Too few warm trials", how, plan, reports, () => ({
    caseLimitMs: equalTimes(plan, moreTimeMs(run, reports)),
  }));
}

/**
 * Gives the command that measures the cases of `reports` again, with what `change` gives for their plan; none
 * without cases.
 */
function mending(
  what: string,
  how: string,
  plan: RunPlan,
  reports: readonly CaseReport[],
  change: (repeated: RunPlan) => Partial<RunPlan>,
): readonly Mending[] {
  if (reports.length === 0) {
    return [];
  }
  const repeated = { ...plan, cases: reports.map(({ manifest }) => manifest) };
  const reason = `${what} (${counted(reports.length, caseWord(repeated))}): ${how}:`;
  return [{ reason, command: commandForPlan({ plan: { ...repeated, ...change(repeated) } }) }];
}

/** Gives all cases the same time limit. */
function equalTimes({ cases }: RunPlan, ms: number): RunPlan["caseLimitMs"] {
  return openRecord(cases.map(({ id }) => [id, ms] as const));
}

/**
 * Gives as much more time as `more` trials take instead of `had`, in whole seconds; none where nobody asked
 * for a time.
 */
function timesForTrials(plan: RunPlan, more: number, had: number): RunPlan["caseLimitMs"] {
  const time = timeOfPlan(plan);
  if (time === null) {
    return plan.caseLimitMs;
  }
  const ms = Math.ceil((time.ms * more) / had / 1000) * 1000;
  const limits = Object.entries(plan.caseLimitMs);
  return openRecord(limits.map(([id, limitMs]) => [id, limitMs * (ms / time.ms)] as const));
}

/** Time that is suggested for a case which had no time limit, in milliseconds. */
const USUAL_TIME_MS = 180_000;
/** Smallest time that is suggested, in milliseconds. */
const LEAST_TIME_MS = 30_000;

/**
 * Computes a longer time: twice what there was, or more where warm-up got less than half of its need. In whole
 * seconds.
 */
function moreTimeMs(
  { plan, warmUps }: Pick<Run, "plan" | "warmUps">,
  reports: readonly CaseReport[],
): number {
  const times = reports.map(({ manifest: { id } }) => {
    const warmUpsOfCase = warmUps.filter(({ caseId }) => caseId === id);
    const missing = warmUpsOfCase.map(({ needed, exchanges }) => (needed ?? 0) / Math.max(1, exchanges));
    return Math.max(2, 1.25 * Math.max(0, ...missing)) * (plan.caseLimitMs[id] ?? 0);
  });
  const ms = Math.max(0, ...times);
  return ms === 0 ? USUAL_TIME_MS : Math.max(LEAST_TIME_MS, Math.ceil(ms / 1000) * 1000);
}

/** Tells whether a run without options measures just these targets. */
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

/** Writes the option that names cases; none where the command has the same cases by itself, as without an app named. */
function caseWords(plan: RunPlan): readonly string[] {
  const ids = plan.cases.map(({ id }) => id);
  const isUsual =
    plan.usualCases?.toSorted().join() === ids.toSorted().join() && appsOfUrls(plan).length === 0;
  return isUsual ? [] : [shellOption("--case", ids.join(","))];
}

/** Writes the options of own servers. */
function ownServerWords(plan: RunPlan): readonly string[] {
  const { targets, ownApp } = plan;
  return [...(ownApp === undefined ? serverWords(targets) : ownAppWords(ownApp)), ...requestWords(plan)];
}

/**
 * Writes what own servers are asked. Values of headers and paths that may be secrets are for the reader to fill in. POST
 * is written with a body, too, though it is the default there: no record knows whether it was typed.
 */
function requestWords({ cases, sameWork }: RunPlan): readonly string[] {
  const { request, masks } = cases[0] ?? {};
  const { method = "GET", headers = [], body = null } = request ?? {};
  return [
    ...cases.map(({ path }) => shellOption("--path", path)),
    ...(masks ?? []).map(({ pattern }) => shellOption("--mask", pattern)),
    ...headers.map((header) => shellOption("--header", header)),
    ...(method === "GET" ? [] : [shellOption("--method", method)]),
    ...(body === null ? [] : [shellOption("--body", body.file)]),
    ...(sameWork === undefined ? [] : [`--same-work ${sameWork}`]),
  ];
}

/** Writes the options that name own servers. */
function serverWords(targets: RunPlan["targets"]): readonly string[] {
  return targets.flatMap(({ name, url, command, copyOf }) =>
    copyOf === null
      ? [shellOption("--target", `${name}=${command === undefined ? url : `cmd: ${command}`}`)]
      : [],
  );
}

/** Writes the options of a user's app. */
function ownAppWords({ on, envFiles, start, build }: OwnAppRecord): readonly string[] {
  return [
    ...(on.length === 0 ? [] : [shellOption("--on", on.join(","))]),
    ...envFiles.map((file) => shellOption("--env-file", file)),
    ...(build === null ? [] : [shellOption("--build", build)]),
    ...(start === null ? [] : [shellOption("--start", start)]),
  ];
}

/** Writes the options that name apps and targets. */
function targetWords(plan: RunPlan): readonly string[] {
  return [
    ...appsOfUrls(plan).map((app) => shellOption("--app", app)),
    ...plan.targets
      .filter(({ copyOf }) => copyOf === null)
      .map(({ name, url }) => shellOption("--target", url === null ? name : `${name}=${url}`)),
  ];
}

/** Lists the apps that must be named, since a URL serves the first one; empty where it is the usual one. */
function appsOfUrls({ targets }: RunPlan): readonly string[] {
  const ofUrls = targets.filter(({ place }) => place === "url").map(({ app }) => app);
  if (ofUrls.every((app) => app === ARTIFACT_APP)) {
    return [];
  }
  return [...new Set([...ofUrls, ...targets.map(({ app }) => app)])];
}

/** Writes the option that gives every app the baseline that it had; none where that is the usual one. */
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

/** The source of a case, and the command that measures it again. */
export interface CaseLinks {
  /** Path of the case's source in its repository; null for a case of own servers, which know nothing of Evenbench. */
  readonly path: string | null;
  /** Address of that source at the run's commit; null without a repository that is known and unchanged. */
  readonly url: string | null;
  /** A command line that measures this case alone with the run's settings. */
  readonly command: string;
}

/** Finds where a case of a run comes from, and how its targets are measured in it again. */
export function caseLinks(
  { manifest, targets }: Pick<CaseReport, "manifest" | "targets">,
  run: Run,
): CaseLinks {
  const { plan, source } = run;
  const caseTargets = plan.targets.filter(({ name }) => targets.includes(name));
  const path = isOfOwnServers(plan)
    ? null
    : (manifest.source ?? sourceOfCase(caseTargets[0]?.app ?? "", manifest.id));
  const isKnown = path !== null && source?.repository != null && !source.changed;
  return {
    path,
    url: isKnown ? `${source.repository}/blob/${source.commit}/${path}` : null,
    command: shortCommand({ ...run, plan: { ...plan, cases: [manifest], targets: caseTargets } }),
  };
}
