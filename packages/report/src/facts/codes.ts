// The codes of notices, and what they are found by. They stand apart from the types of facts, which the package ships.
import type { RunEvent } from "@evenbench/results";
import type { AuditFinding } from "../audit.ts";

/** The codes of what was asked for and has no result, the gravest first. */
const VOID_CODES = [
  "build-failed",
  "case-failed",
  "target-dropped",
  "stage-ended", // of a load, or all of it: what it had left was not tried
  "nothing-measured",
  "memory-failed",
  "samples-damaged", // or a client's log has no end
  "connections-hung", // a connection got no answer through a whole window
] as const;

/** The codes of what one has to know of results that stand, the gravest first. */
const CAUTION_CODES = [
  "start-failed", // a cold start or a start-up; void where a target has no cold start
  "judged-otherwise", // facts.json says something else than the samples beside it: those count
  "unproven-work",
  "machine-unsteady", // { cores } of others, another run, a limit, or how much { longer } all took in some trials
  "settings-allowed", // or clients chose several versions of HTTP
  "masked",
  "requests-failed", // { count, of }
  "answer-empty",
  "work-behind", // work is done behind the answer: time falls, CPU time does not
  "work-elsewhere", // another process does the work
  "log-heavy",
  "open-to-others", // a server that other machines can reach
  "short-of-time", // of a load
  "restarted", // { count }
  "connections-closed", // { count, of }
  "not-alone", // { count }
  "client-busy", // { share } of a core
  "client-failed", // { count }
  "cores-shared",
  // Of comparisons of runs and states.
  "unlike-runs",
  "same-run",
  "not-in-turns",
  "equal-builds",
  // Of loads.
  "client-late", // { count, of }
  "more-waited",
  "requests-dropped", // { count }
] as const;

/** The codes of notices, the gravest first. A new one names the one that it replaces, and is for what a reader can act on. */
export const NOTICE_CODES = [...VOID_CODES, ...CAUTION_CODES] as const;

/** A code of a notice that this version gives. */
export type NoticeCode = (typeof NOTICE_CODES)[number];

/** Tells whether a code says, wherever it is found, that something has no result. */
export function isVoid(code: NoticeCode): boolean {
  return (VOID_CODES as readonly string[]).includes(code);
}

/** The notice of each kind of event; null for what asks for nothing, which is a remark. */
export const CODE_OF_EVENT: Readonly<Record<RunEvent["kind"], NoticeCode | null>> = {
  "build-failed": "build-failed",
  "case-failed": "case-failed",
  "target-dropped": "target-dropped",
  interrupted: null, // the status of the run says it
  "load-ended": "stage-ended",
  "vantage-incomplete": "samples-damaged",
  "other-run-active": "machine-unsteady",
  "cpu-throttled": "machine-unsteady",
  "error-budget": null, // its requests are counted with all others that failed
  "time-short": null, // the next step says how much is needed
  "warmup-unstable": "short-of-time",
  "host-restarted": "restarted",
  "work-unproven": "unproven-work",
  "pin-allowed": "settings-allowed",
  "body-masked": "masked",
  "cold-start-failed": null, // a row of facts says what starts gave
  "start-up-failed": null,
  "memory-failed": "memory-failed",
  "mixed-http": "settings-allowed",
  "body-varies": null,
  "answer-empty": "answer-empty",
  "connections-hung": "connections-hung",
  "work-behind": "work-behind",
  "work-elsewhere": "work-elsewhere",
  "log-heavy": "log-heavy",
  "open-to-others": "open-to-others",
  "bodies-sampled": null,
  "cache-measured": null,
  "golden-unconfirmed": null,
  "settings-unknown": null,
  "headers-differ": null,
  "one-process": null,
  "provider-cpu": null,
  "clock-stepped": null,
};

/** The notice of each check of samples; null for what is a flag of changes. */
export const CODE_OF_AUDIT: Readonly<Record<AuditFinding["kind"], NoticeCode | null>> = {
  "client-busy": "client-busy",
  "client-late": null,
  "instance-changed": "restarted",
  reconnected: "connections-closed",
  "not-alone": "not-alone",
  "machine-busy": "machine-unsteady",
};

/** The codes of remarks: they ask for nothing, and stand on the page of their case alone. */
export type RemarkCode =
  | "bodies-sampled"
  | "client-waited"
  | "drifted"
  | "copy-differs"
  | "settings-unknown"
  | "headers-matter"
  | "cache"
  | "no-golden"
  | "clock-set"
  | "bodies-vary"
  | "one-process"
  | "provider-cpu"
  | "slow-requests";
