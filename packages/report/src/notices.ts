import { OWN_SERVER_APP } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import {
  cautionNotice,
  counted,
  formatPercent,
  gravestFirst,
  listed,
  type Notice,
  type NoticeKind,
  noticesOf,
  percentRange,
  voidNotice,
} from "@evenbench/page";
import type { Run, RunEvent, RunPlan, SampleErrorKind } from "@evenbench/results";
import { type CaseAnalysis, isControlBroken } from "@evenbench/stats";
import { AUDITS, BUSY } from "./audit.ts";
import { unprovenCases } from "./case-report.ts";
import { clientTimingNotices } from "./client-timing.ts";
import type { CaseReport } from "./data.ts";

/** Noise of a case's A/A control from which on there is a notice, as a fraction. */
const MUCH_NOISE = 0.1;
/** Noise of the CPU time's control up to which its verdicts stand although times are too noisy. */
const STANDING_NOISE = 0.05;

/** The notice of each kind of event: how grave it is, its title, and what to do. */
export const EVENT_NOTICES: Readonly<Record<RunEvent["kind"], NoticeKind>> = {
  "build-failed": voidNotice(
    "A target could not be built",
    "It has no part in this report. Fix its build, then measure again.",
  ),
  "body-varies": cautionNotice(
    "Bodies are equal once what a framework generates is normalised",
    "There is nothing to do. Each line says what differs as sent.",
  ),
  "body-masked": cautionNotice(
    "What varies by itself is hidden",
    "Preflight found it by asking several times, and compares the rest. See that none of it is what you compare; --mask hides more.",
  ),
  "answer-empty": cautionNotice(
    "An empty answer is measured",
    "An answer of 0 bytes is seldom the work. See that the path is the one that you mean.",
  ),
  "bodies-sampled": cautionNotice(
    "Not every body was compared",
    "Bodies differ each time and are long, so a share was compared, drawn at random. There is nothing to do.",
  ),
  "connections-hung": voidNotice(
    "Connections got no answer",
    "Their users wait for ever, so these stages have no latencies. Find out why the target answers some connections only.",
  ),
  "work-behind": cautionNotice(
    "Work is done behind the answer",
    "It is in no time of one request. Compare CPU time, or many requests at a time (load).",
  ),
  "work-elsewhere": cautionNotice(
    "Another process does the work",
    "CPU time of the target does not have it, so there is no CPU time. Start what does the work as the target.",
  ),
  "log-heavy": cautionNotice(
    "A target writes much into its log",
    "Writing is in its times. Turn its debug output off. Of its log, head and tail are kept.",
  ),
  "open-to-others": cautionNotice(
    "A server can be reached from other machines",
    "Let it listen on 127.0.0.1, which its variable HOST says.",
  ),
  "cache-measured": cautionNotice(
    "A cache is measured",
    "Nothing is rendered for these requests, so they give no verdict on the platforms. Measure a path that is computed for each request.",
  ),
  "golden-unconfirmed": cautionNotice(
    "A case has no golden values yet",
    `All targets sent the same body. Look at it, then write the values into the case (\`${EVENBENCH} preflight --accept <case>\`).`,
  ),
  "settings-unknown": cautionNotice(
    "Settings of these servers are not known",
    "Preflight compared their answers alone. Check that every server runs the same production build.",
  ),
  "headers-differ": cautionNotice(
    "Headers of these answers matter in use",
    "Bodies were compared. A cache in front, or a cookie that comes back, may change what is computed.",
  ),
  "case-failed": voidNotice("A case has no result", "Fix what the line names, then measure that case again."),
  "target-dropped": voidNotice(
    "A target was dropped",
    "What it did before is kept but is not a full comparison. See its log in the run's folder.",
  ),
  "error-budget": cautionNotice(
    "Some requests failed, too few to drop the target",
    "They are counted, and left out of all times. See the target's log in the run's folder.",
  ),
  "cold-start-failed": cautionNotice(
    "Cold starts failed",
    "The target did not start again, so these starts are in no figure. Find out in its log what is left of the start before: a port, a lock, a file.",
  ),
  "clock-stepped": cautionNotice(
    "The system's clock was set while it was measured",
    "Times are of another clock, and stay right. Only the dates of later runs may be in another order.",
  ),
  "cpu-throttled": cautionNotice(
    "A limit on CPU time stopped processes",
    "Times include the waiting. Give the container whole cores, or measure where there is no limit.",
  ),
  interrupted: voidNotice(
    "The run was interrupted",
    "What was measured is shown. Cases that come later in the plan have fewer requests or none.",
  ),
  "pin-allowed": cautionNotice(
    "Settings that should be equal were allowed to differ",
    "The difference may come from the setting and not from the platform.",
  ),
  "work-unproven": cautionNotice(
    "The work was not proven equal",
    "You passed --same-work assumed. The difference may come from the work and not from the server.",
  ),
  "host-restarted": cautionNotice(
    "A target ended by itself and was started again",
    "See its log in the run's folder. Of its trial only the last process counts.",
  ),
  "warmup-unstable": cautionNotice(
    "Warm-up ended before the times were steady",
    "Give the case more time (--time). Until then its times may still be moving.",
  ),
  "time-short": cautionNotice(
    "Short of time",
    "Cases have fewer trials for it, and what is not warm has no verdict. Give the time that is named, or leave --time and --total out.",
  ),
  "one-process": cautionNotice(
    "A URL is one process for the whole run",
    'Let each trial start it: `--target "<name>=cmd: <command>"`. The interval is about that process: another start of the same server may differ by more.',
  ),
  "provider-cpu": cautionNotice(
    "CPU time that platforms account to requests",
    "Compare it only with figures of the same source. Each case has it beside its other figures; provider-cpu.ndjson has every account.",
  ),
  "vantage-incomplete": voidNotice(
    "A client's log is incomplete",
    "Its recorded requests are included; an unknown number are missing. Measure from there again.",
  ),
  "mixed-http": cautionNotice(
    "Not all requests used the same version of HTTP",
    "Start every client with GODEBUG=http2client=0. Versions connect and send differently, so that what clients sent cannot be compared.",
  ),
  "other-run-active": BUSY,
};

/** Errors of the client's own process. */
const OF_CLIENT: readonly SampleErrorKind[] = ["client-limit", "client-pause"];

/** The part of an event that notices are made of. */
type Event = Pick<RunEvent, "kind" | "caseId" | "target" | "trial" | "detail">;

/**
 * Makes notices of events, one for each kind.
 *
 * @param changed the notices of kinds that mean something else in this report. Default: none.
 */
export function eventNotices(
  events: readonly Event[],
  changed: Partial<Record<RunEvent["kind"], NoticeKind>> = {},
): readonly Notice[] {
  const notices = { ...EVENT_NOTICES, ...changed };
  return [...Map.groupBy(events, ({ kind }) => kind)].flatMap(([kind, group]) =>
    noticesOf(notices[kind], group.map(describeEvent)),
  );
}

/** Writes an event, with the case, target and trial that it does not name itself. */
function describeEvent({ caseId, target, trial, detail }: Event): string {
  const known = [caseId, target, trial === null ? null : `trial ${trial + 1}`];
  // Many details name their case or target themselves.
  const where = known.filter((part) => part !== null && !detail.includes(part));
  return where.length === 0 ? detail : `${where.join(", ")}: ${detail}`;
}

/** The end of the remedies for incomplete records. */
const MEASURE_AGAIN = "Measure again for complete results.";

/**
 * Makes notices of what a record says against itself.
 *
 * @param damage sentences on what could not be read.
 * @param what kind of the record: "run" or "load".
 */
export function recordNotices(
  { status, startedAt, finishedAt }: Pick<Run, "status" | "startedAt" | "finishedAt">,
  damage: readonly string[],
  what = "run",
): readonly Notice[] {
  const shown = `What was measured is shown. ${MEASURE_AGAIN}`;
  const readable = `Results use only the readable part. ${MEASURE_AGAIN}`;
  const ended = "It ended before all of its plan was measured.";
  const running = "It still runs, or it was ended without a chance to say so.";
  const isBefore = finishedAt !== null && Date.parse(finishedAt) < Date.parse(startedAt);
  const odd = `It ended at ${finishedAt}, before its start at ${startedAt}.`;
  const oddEnd = cautionNotice(
    `The end of the ${what} is before its start`,
    "The system's clock was set meanwhile. Times are of another clock, and stay right.",
  );
  return [
    ...noticesOf(oddEnd, isBefore ? [odd] : []),
    ...noticesOf(voidNotice("What was measured is damaged", readable), damage),
    ...noticesOf(voidNotice(`The ${what} failed`, shown), status === "failed" ? [ended] : []),
    ...noticesOf(voidNotice(`The ${what} did not finish`, shown), status === "running" ? [running] : []),
  ];
}

/** Makes all notices of a run, the gravest first. */
export function collectNotices(run: Run, cases: readonly CaseReport[], damage: readonly string[]): Notice[] {
  const failed = new Set(run.events.filter(({ kind }) => kind === "case-failed").map(({ caseId }) => caseId));
  const empty = cases.filter(({ headline, manifest }) => headline === null && !failed.has(manifest.id));
  // The notice of a late client says more than its finding does: see `clientTimingNotices`.
  const findings = cases.flatMap(({ audit }) => audit).filter(({ kind }) => kind !== "client-late");
  const errors = cases.flatMap(({ manifest, errors }) =>
    errors
      .filter(({ kind }) => !OF_CLIENT.includes(kind))
      .map(
        ({ target, kind, count, detail }) =>
          `${manifest.id}, ${target}: ${counted(count, "request")} failed (${kind}: ${detail})`,
      ),
  );
  const ofClient = cases.flatMap(({ manifest, errors }) =>
    errors
      .filter(({ kind }) => OF_CLIENT.includes(kind))
      .map(
        ({ target, count, detail }) => `${manifest.id}, ${target}: ${counted(count, "request")}: ${detail}`,
      ),
  );
  const counting = "They are counted, and left out of all times. See the targets' logs.";
  return gravestFirst(
    withoutContradictions([
      ...recordNotices(run, damage),
      ...eventNotices(run.events),
      ...noticesOf(
        voidNotice("Cases without any measured request", "Measure them again, with more time."),
        empty.map(({ manifest }) => manifest.id),
      ),
      ...smokeTestNotices(run),
      ...notWarm(run, cases),
      ...noticesOf(cautionNotice("Requests failed", counting), errors),
      ...noticesOf(
        cautionNotice(
          "The client itself failed",
          "These requests are left out of all times, and say nothing of the target. Measure again while nothing else runs.",
        ),
        ofClient,
      ),
      ...[...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, group]) =>
        noticesOf(
          AUDITS[kind],
          group.map(({ detail }) => detail),
        ),
      ),
      ...clientTimingNotices(cases, run.clientLoad, caseWord(run.plan)),
      ...controls(cases),
      ...(run.plan.serverCores === "all" ? [] : coreNotices(run.plan, run.machine)),
    ]),
  );
}

/** The remedy of `BUSY` in a run that also has cases whose targets drifted apart: turns do not even that out. */
const BUSY_AND_APART = `Targets take turns, so that all of them meet it, and intervals are wider for it: verdicts stand, but read those of cases that "${AUDITS["drift-apart"].title}" names with care. Where CPU time is less disturbed, the line says so. For narrower intervals measure again while nothing else runs.`;

/** Joins notices of one title into one, and takes out of a notice what another one says otherwise. */
function withoutContradictions(notices: readonly Notice[]): readonly Notice[] {
  const joined = withoutRepeats(notices);
  if (!joined.some(({ title }) => title === AUDITS["drift-apart"].title)) {
    return joined;
  }
  return joined.map((notice) =>
    notice.title === BUSY.title ? { ...notice, remedy: BUSY_AND_APART } : notice,
  );
}

/** Joins notices of one title into one, with the details of all. */
function withoutRepeats(notices: readonly Notice[]): readonly Notice[] {
  return [...Map.groupBy(notices, ({ title }) => title).values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : { ...first, details: alike.flatMap(({ details }) => details) };
  });
}

/** Makes the notice of a smoke test: its times are of code that is hardly warmed up. */
function smokeTestNotices({ plan }: Run): readonly Notice[] {
  const notice = cautionNotice(
    "A smoke test",
    "You passed --quick, so nothing is compared. Leave it out for verdicts.",
  );
  const { warmUpExchanges: warmUps, roundsPerTrial: rounds, trials } = plan;
  const measured = `${counted(rounds ?? 0, "measured round")} in each of ${counted(trials.maximum, "trial")}`;
  const detail = `${counted(warmUps ?? 0, "warm-up request")} and ${measured}.`;
  return noticesOf(notice, plan.quick === true ? [detail] : []);
}

/** Makes the notice of targets that were not warm; none where all were. */
function notWarm({ plan }: Run, cases: readonly CaseReport[]): readonly Notice[] {
  const details = cases.flatMap(({ manifest, headline }) => {
    const cold = headline?.comparisons.filter(({ verdict }) => verdict === "not warm") ?? [];
    return cold.map(({ target, reason }) => `${manifest.id}, ${target}: ${reason}`);
  });
  const fixed = plan.warmUpExchanges;
  const isCut = fixed !== null || plan.roundsPerTrial !== null || Object.keys(plan.caseLimitMs).length > 0;
  const notice = cautionNotice(
    fixed === null ? "Targets were not warm" : `Targets were not warm: ${counted(fixed, "warm-up request")}`,
    isCut
      ? "They have no verdict. Without --warm-up, --rounds, --time and --total a run warms up as long as it takes."
      : "They have no verdict. Give them more time (--time 3m).",
  );
  return noticesOf(notice, details);
}

/** Makes the notice of a client that shared its cores with the servers; empty where it did not. */
export function coreNotices(
  { targets }: Pick<RunPlan, "targets">,
  machine: Run["machine"],
): readonly Notice[] {
  const apart =
    "They are kept apart on Linux with two cores or more and taskset installed, unless a container forbids it.";
  const shared = "The measuring client could take time from the servers that it measures.";
  const isShared = targets.some(({ place }) => place === "local") && machine?.coresApart === null;
  return noticesOf(cautionNotice("Client and servers shared their cores", apart), isShared ? [shared] : []);
}

/** The consequence of a broken control by CPU time for its case (`analyseFit`). */
const CPU_WITHHELD = "; so the verdicts on CPU time are withheld in this case";

/** Makes the notices of A/A controls that differ, or are noisy. */
function controls(cases: readonly CaseReport[]): readonly Notice[] {
  const took = (analysis: CaseAnalysis | null, what = "") =>
    `: the baseline's own copy took ${percentRange(analysis?.control?.ratio ?? { low: 1, high: 1 })}${what}`;
  const differing: string[] = [];
  const noisy: string[] = [];
  for (const { manifest, headline, cpuTime } of cases) {
    const finding = manifest.id + took(headline);
    const noise = headline?.noiseFloor ?? 0;
    const cpu = cpuTime?.noiseFloor ?? Number.POSITIVE_INFINITY;
    const stands = cpu < STANDING_NOISE ? `; its CPU time, within ${formatPercent(cpu)}, still stands` : "";
    // The graver first: a copy that differs, however wide its interval is.
    if (isControlBroken(headline?.control ?? null)) {
      differing.push(finding);
    } else if (noise > MUCH_NOISE) {
      const found = `no difference found between ${headline?.baseline} and its copy, but the interval reaches ${formatPercent(noise)}`;
      noisy.push(`${manifest.id}: ${found}${stands}`);
    }
    if (isControlBroken(cpuTime?.control ?? null)) {
      differing.push(manifest.id + took(cpuTime, " (CPU time)") + CPU_WITHHELD);
    }
  }
  const ids = cases
    .filter(({ headline, cpuTime }) => [headline, cpuTime].some((of) => isControlBroken(of?.control ?? null)))
    .map(({ manifest }) => manifest.id);
  const differs = `Read ${listed(ids)} with care, or measure again. Chance does that in 1 of 100 controls.`;
  return [
    ...noticesOf(cautionNotice("A target differs from its own copy", differs), differing),
    ...noticesOf(BUSY, noisy),
  ];
}

/** Tells whether a run is of servers that know nothing of Evenbench: all of its targets are, or none. */
export function isOfOwnServers({ targets }: Pick<RunPlan, "targets">): boolean {
  return targets.some(({ app }) => app === OWN_SERVER_APP);
}

/** Gives the word for what a plan measures: own servers have paths, all others have cases. */
export function caseWord(plan: Pick<RunPlan, "targets">): "case" | "path" {
  return isOfOwnServers(plan) ? "path" : "case";
}

/** The words for a run that ended before its plan, in front of the number of its trials; none for any other. */
const ENDED_EARLY: Partial<Record<Run["status"], string>> = {
  interrupted: "was stopped after",
  running: "did not finish: it has",
};

/**
 * Says after how many trials a run ended before its plan, in a sentence: "The run was stopped after 1 to 2 of at most 10
 * trials of each case."; null where no trial was cut off, and where several vantages measured.
 *
 * @param trials the number of trials that were measured of each case in the plan, whether they count or not.
 */
export function stoppedSentence(
  { status, plan, vantages, trialsEnded }: Pick<Run, "status" | "plan" | "vantages" | "trialsEnded">,
  trials: readonly number[],
): string | null {
  const ended = ENDED_EARLY[status];
  // What was left of a run whose trials ended was no trial: cold starts, or reading accounts.
  if (ended === undefined || trialsEnded || vantages !== undefined || trials.length === 0) {
    return null;
  }
  const { minimum, maximum } = plan.trials;
  const fewestTrials = Math.min(...trials);
  const mostTrials = Math.max(...trials);
  // The last trial of the plan was under way, of which there are measured requests.
  if (fewestTrials >= maximum) {
    return null;
  }
  const had = fewestTrials === mostTrials ? `${mostTrials}` : `${fewestTrials} to ${mostTrials}`;
  // A case ends earlier where it is decided.
  const planned = `${minimum === maximum ? "" : "at most "}${counted(maximum, "trial")}`;
  return `The run ${ended} ${had} of ${planned} of each ${caseWord(plan)}.`;
}

/** Names the cases whose work was not proven equal, in a sentence; null where there are none. */
export function unprovenSentence(run: Pick<Run, "events">): string | null {
  const cases = [...unprovenCases(run)];
  return cases.length === 0 ? null : `The work was not proven equal in ${cases.join(", ")}.`;
}
