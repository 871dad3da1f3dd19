// The codes of notices. They stand apart from the types of facts, which the package ships as declarations.
/** The codes of notices, the gravest first. A new one names the one that it replaces, and is for what a reader can act on. */
export const NOTICE_CODES = [
  // What was asked for, and has no result.
  "build-failed",
  "case-failed",
  "target-dropped",
  "nothing-measured",
  "interrupted",
  "run-unfinished", // it failed, still runs, or was ended
  "samples-damaged", // or a client's log has no end
  "connections-hung", // a connection got no answer through a whole window
  "stage-ended", // of a load: higher loads were not tried
  // Results stand, with this in mind.
  "judged-otherwise", // facts.json says something else than the samples beside it: those count
  "unproven-work",
  "small-differences", // the A/A copy may differ by so much: { share }
  "machine-unsteady", // other programs' work in { cores }, another run, or a limit on CPU time
  "settings-allowed", // or clients chose several versions of HTTP
  "masked",
  "requests-failed", // { count, of }
  "answer-empty",
  "work-behind", // work is done behind the answer: time falls, CPU time does not
  "work-elsewhere", // another process does the work
  "log-heavy",
  "open-to-others", // a server that other machines can reach
  "short-of-time", // { neededMs }
  "restarted", // { count }
  "connections-closed", // { count, of }
  "not-alone", // { count }
  "client-busy", // { share } of a core
  "client-failed", // { count }
  "cores-shared",
  "start-failed", // a cold start or a start-up
  "memory-failed",
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

/** A code of a notice that this version gives. */
export type NoticeCode = (typeof NOTICE_CODES)[number];

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
