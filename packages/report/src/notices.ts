import { STRANGER_APP } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import type { Run, RunEvent, RunPlan } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import type { AuditKind } from "./audit.ts";
import type { CaseReport, Warning } from "./data.ts";
import { counted, formatBand, formatPercent } from "./format.ts";

/** Noise of the control from which a reader is warned, as a fraction. */
const MUCH_NOISE = 0.1;

interface Kind {
  readonly severity: Warning["severity"];
  readonly title: string;
  readonly remedy: string;
}

/** What preflight says although it passed, of any run. */
export const PREFLIGHT_KINDS = {
  "body-varies": {
    severity: "caution",
    title: "A framework makes bodies differ",
    remedy: "Preflight compared them in a form without that difference, and found them equal.",
  },
  "golden-unconfirmed": {
    severity: "caution",
    title: "A case has no golden values yet",
    remedy: `All targets sent the same body. Look at it, then write the values into the case (\`${EVENBENCH} preflight --accept <case>\`).`,
  },
  "settings-unknown": {
    severity: "caution",
    title: "Settings of these servers are not known",
    remedy:
      "Preflight compared their answers alone. See yourself that each runs the same build, for production.",
  },
} as const satisfies Partial<Record<RunEvent["kind"], Kind>>;

/** Every kind of event with what it means for the reader and what helps: a closed set. */
const EVENT_KINDS: Readonly<Record<RunEvent["kind"], Kind>> = {
  "build-failed": {
    severity: "void",
    title: "A target could not be built",
    remedy: "It has no part in this report. Fix its build, then measure again.",
  },
  ...PREFLIGHT_KINDS,
  "case-failed": {
    severity: "void",
    title: "A case has no result",
    remedy: "Fix what the line names, then measure that case again.",
  },
  "target-dropped": {
    severity: "void",
    title: "A target was dropped",
    remedy: "What it did before is kept but is not a full comparison. See its log in the run's folder.",
  },
  // A target with more of them is dropped.
  "error-budget": {
    severity: "caution",
    title: "Requests failed, though fewer than a target is dropped for",
    remedy: "They are counted, and left out of all times. See the target's log in the run's folder.",
  },
  interrupted: {
    severity: "void",
    title: "The run was interrupted",
    remedy: "What was measured is shown. Cases that come later in the plan have fewer requests or none.",
  },
  "pin-allowed": {
    severity: "caution",
    title: "Settings that should be equal were allowed to differ",
    remedy: "The difference may come from the setting and not from the platform.",
  },
  "work-unproven": {
    severity: "caution",
    title: "The work was not proven equal",
    remedy:
      "Somebody said that it is (--same-work assumed). The difference may come from the work and not from the server.",
  },
  "host-restarted": {
    severity: "caution",
    title: "A host ended by itself and was started again",
    remedy: "See its log in the run's folder. Its trial contains fewer rounds.",
  },
  "warmup-unstable": {
    severity: "caution",
    title: "Warm-up ended before the times were steady",
    remedy: "Give the case more time (--time). Until then its times may still be moving.",
  },
  "time-short": {
    severity: "caution",
    title: "Less time than warm trials take",
    remedy: "What is not warm has no verdict. Give the time that is named, or leave --time and --total out.",
  },
  "one-process": {
    severity: "caution",
    title: "A URL is one process for the whole run",
    remedy:
      'The interval is about that process: another start of the same server may differ by more. Let each trial start it: --target "<name>=cmd: <command>".',
  },
  "provider-cpu": {
    severity: "caution",
    title: "CPU time that platforms account to requests",
    remedy:
      "Each case has it beside its other figures, and provider-cpu.ndjson has every account with the key of its sample. Compare it only with figures of the same accountant.",
  },
  "vantage-incomplete": {
    severity: "void",
    title: "A client's log is not whole",
    remedy: "What it has is in the times, and nobody knows what it lacks. Measure from that vantage again.",
  },
  "mixed-http": {
    severity: "caution",
    title: "Not all requests used the same version of HTTP",
    remedy:
      "Versions connect and send differently, so that targets and vantages cannot be held against each other. Start every client with GODEBUG=http2client=0.",
  },
  "other-run-active": {
    severity: "caution",
    title: "Another run was active on this machine",
    remedy: "Measure again while nothing else runs.",
  },
};

/** Whether an event voids what it happened to. */
export function isVoid({ kind }: RunEvent): boolean {
  return EVENT_KINDS[kind].severity === "void";
}

/** What an event is called in reports. */
export function titleOf({ kind }: RunEvent): string {
  return EVENT_KINDS[kind].title;
}

/** What a reader must know first, gravest first. */
export function collectWarnings(
  run: Run,
  cases: readonly CaseReport[],
  damage: readonly string[],
): Warning[] {
  const warnings: Warning[] = [];
  if (damage.length > 0) {
    warnings.push({
      severity: "void",
      title: "What was measured is damaged",
      details: damage,
      remedy: "Everything below rests on the part that could be read. Measure again for the whole.",
    });
  }
  warnings.push(...statusWarnings(run), ...eventWarnings(run.events));
  warnings.push(
    ...emptyCases(run, cases),
    ...warmWarnings(run, cases),
    ...errorWarnings(cases),
    ...auditWarnings(cases),
    ...busyWarnings(cases),
    ...noiseWarnings(cases.filter((report) => !isBusy(report))),
    ...machineWarnings(run),
  );
  return warnings.sort((a, b) => Number(b.severity === "void") - Number(a.severity === "void"));
}

function statusWarnings(run: Run): Warning[] {
  if (run.status !== "running" && run.status !== "failed") return [];
  return [
    {
      severity: "void",
      title: run.status === "failed" ? "The run failed" : "The run did not finish",
      details: [
        run.status === "failed"
          ? "It ended before all of its plan was measured."
          : "It still runs, or it was ended without a chance to say so.",
      ],
      remedy: "What was measured is shown.",
    },
  ];
}

function eventWarnings(events: readonly RunEvent[]): Warning[] {
  return [...Map.groupBy(events, ({ kind }) => kind)].map(([kind, group]) => ({
    ...EVENT_KINDS[kind],
    details: group.map(describeEvent),
  }));
}

function describeEvent({ caseId, target, trial, detail }: RunEvent): string {
  const known = [caseId, target, trial === null ? null : `trial ${trial + 1}`];
  // Many details name their case or target themselves.
  const where = known.filter((part) => part !== null && !detail.includes(part));
  return where.length === 0 ? detail : `${where.join(", ")}: ${detail}`;
}

function emptyCases(run: Run, cases: readonly CaseReport[]): Warning[] {
  const failed = new Set(run.events.filter(({ kind }) => kind === "case-failed").map(({ caseId }) => caseId));
  const empty = cases.filter(({ headline, manifest }) => headline === null && !failed.has(manifest.id));
  if (empty.length === 0) return [];
  return [
    {
      severity: "void",
      title: "Cases without any measured request",
      details: empty.map(({ manifest }) => manifest.id),
      remedy: "Measure them again, with more time.",
    },
  ];
}

function warmWarnings({ plan }: Run, cases: readonly CaseReport[]): Warning[] {
  const details = cases.flatMap(({ manifest, headline }) => {
    const cold = headline?.comparisons.filter(({ verdict }) => verdict === "not warm") ?? [];
    return cold.map(({ target, reason }) => `${manifest.id}, ${target}: ${reason}`);
  });
  if (details.length === 0) return [];
  const fixed = plan.warmUpExchanges;
  const isCut = fixed !== null || plan.roundsPerTrial !== null || Object.keys(plan.caseBudgetMs).length > 0;
  return [
    {
      severity: "caution",
      title: fixed === null ? "Targets were not warm" : `A smoke test: ${counted(fixed, "warm-up request")}`,
      details,
      remedy: isCut
        ? "They have no verdict. Without --quick, --warm-up, --rounds, --time and --total a run warms up as long as it takes; what it found out is kept for the next one."
        : "They have no verdict. What this run found out is kept: the next one warms them up by it. Other work on the machine moves times as well; the notices say whether there was any.",
    },
  ];
}

function errorWarnings(cases: readonly CaseReport[]): Warning[] {
  const details = cases.flatMap(({ manifest, errors }) =>
    errors.map(
      ({ target, kind, count, example }) =>
        `${manifest.id}, ${target}: ${counted(count, "request")} failed (${kind}: ${example})`,
    ),
  );
  if (details.length === 0) return [];
  return [
    {
      severity: "caution",
      title: "Requests failed",
      details,
      remedy: "They are counted, and left out of all times. See the targets' logs.",
    },
  ];
}

function noiseWarnings(cases: readonly CaseReport[]): Warning[] {
  const details = cases.flatMap(({ manifest, headline }) =>
    headline?.noiseFloor != null && headline.noiseFloor > MUCH_NOISE
      ? [
          `${manifest.id}: the baseline against its own A/A copy could come out anywhere within ${formatBand(headline.noiseFloor)}`,
        ]
      : [],
  );
  if (details.length === 0) return [];
  return [
    {
      severity: "caution",
      title: "The A/A control is noisy",
      details,
      remedy:
        "It is an audit: the intervals already contain what instances differ by. A quieter machine narrows both. Give the case more time (--time), or a quieter machine.",
    },
  ];
}

function machineWarnings(run: Run): Warning[] {
  const local = run.plan.targets.some(({ place }) => place === "local");
  if (run.machine?.coresApart !== null || !local || run.plan.serverCores === "all") return [];
  return [
    {
      severity: "caution",
      title: "Client and servers shared their cores",
      details: ["The measuring client could take time from the servers that it measures."],
      remedy: "On Linux with two cores or more and taskset installed they are kept apart.",
    },
  ];
}

const AUDIT_KINDS: Readonly<Record<AuditKind, Omit<Warning, "details">>> = {
  "littles-law": {
    severity: "void",
    title: "The books do not add up",
    remedy: "This is a defect of the client, or its clock jumped. Do not use the times of these cases.",
  },
  "client-busy": {
    severity: "caution",
    title: "The client was busy itself",
    remedy: "Its own work may be in the times. Measure fewer bytes, or on a machine with a faster core.",
  },
  "client-late": {
    severity: "caution",
    title: "Client timing unreliable",
    remedy: "Something kept the client's process from running. Measure again while nothing else runs.",
  },
  cold: {
    severity: "caution",
    title: "Cold requests among the measured ones",
    remedy: "An instance was replaced while it was measured. Its first request is slower than the others.",
  },
  "not-alone": {
    severity: "caution",
    title: "Somebody else asked the same instances",
    remedy: "Waiting for others is in these times. Measure instances that nobody else uses.",
  },
  "instance-changed": {
    severity: "caution",
    title: "Another instance answered within a trial",
    remedy:
      "A trial is to be one instance. See why its process was replaced, or what sends requests elsewhere.",
  },
  reconnected: {
    severity: "caution",
    title: "Connections did not stay open",
    remedy:
      "A request on a new connection takes longer. Let the target keep connections open between rounds.",
  },
  drift: {
    severity: "caution",
    title: "Times moved while they were measured",
    remedy:
      "The machine changed, which rounds in turns even out; or instances were not warm, and then the verdict is that. Measure again while nothing else runs.",
  },
};

/** What the run found against itself, one warning for each kind. */
function auditWarnings(cases: readonly CaseReport[]): Warning[] {
  const findings = cases.flatMap(({ audit }) => audit);
  return [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, group]) => ({
    ...AUDIT_KINDS[kind],
    details: group.map(({ detail }) => detail),
  }));
}

/** Noise of the time's control from which the machine was too busy for times, as a fraction. */
const BUSY_NOISE = 0.1;
/** Noise of the CPU time's control up to which its verdicts stand nevertheless. */
const STANDING_NOISE = 0.05;

export const BUSY = "The machine was too busy for times; CPU time still stands.";

/** Whether a case's times say little because of what else ran, while its CPU time says as much as it should. */
export function isBusy({ headline, cpuTime, audit }: CaseReport): boolean {
  const late = audit.some(({ kind }) => kind === "client-late");
  const [time, cpu] = [noiseOf(headline), noiseOf(cpuTime)];
  return (late || (time !== null && time > BUSY_NOISE)) && cpu !== null && cpu < STANDING_NOISE;
}

/** The cases of which that is so, as a warning. */
function busyWarnings(cases: readonly CaseReport[]): Warning[] {
  const details = cases.filter(isBusy).map(({ manifest, headline, cpuTime }) => {
    const [time, cpu] = [noiseOf(headline), noiseOf(cpuTime)].map((noise) =>
      noise === null ? "is not known" : `could differ by ${formatPercent(noise)}`,
    );
    return `${manifest.id}: the baseline against its own A/A copy: time ${time}, CPU time ${cpu}`;
  });
  if (details.length === 0) return [];
  return [
    {
      severity: "caution",
      title: BUSY.slice(0, -1),
      details,
      remedy: "Read the verdicts on CPU time. For times, measure again while nothing else runs.",
    },
  ];
}

function noiseOf(analysis: CaseAnalysis | null): number | null {
  return analysis?.noiseFloor ?? null;
}

/** Whether a run is of servers that know nothing of Evenbench: all of its targets are, or none. */
export function isOfStrangers({ targets }: Pick<RunPlan, "targets">): boolean {
  return targets.some(({ app }) => app === STRANGER_APP);
}

/** The cases in which answers differed, and somebody asked to compare them all the same. */
export function unprovenCases({ events }: Pick<Run, "events">): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, caseId }) => (kind === "work-unproven" ? (caseId ?? []) : [])));
}

/** "The work was not proven equal in products, api-x."; null where it was. What every output of such a run carries. */
export function unprovenSentence(run: Pick<Run, "events">): string | null {
  const cases = [...unprovenCases(run)];
  return cases.length === 0 ? null : `The work was not proven equal in ${cases.join(", ")}.`;
}
