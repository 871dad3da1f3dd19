// What a run found, as data: the file facts.json. Every text about a run is made from this file, and from nothing else.
// It imports nothing, so that the package can ship it as it is.

/** Version of the rules by which verdicts, flags and notices are decided. It goes up when the same samples could get others. */
export const RULES = 7;

/**
 * The facts of one run, or of a comparison of several. No field is a sentence, but for `quote` and for titles that people
 * wrote. Times are milliseconds, sizes bytes, shares fractions; the unit ends the name of a metric. Numbers are not rounded.
 * null is "not known" or "does not apply", never 0.
 */
export interface Facts {
  readonly schema: 1;
  /** Version of the rules that decided. Other rules may judge the same samples otherwise. */
  readonly rules: number;
  readonly run: RunFacts;
  /** By the effect on the first platform that is compared, the largest saving first; without an effect, in the plan's order. */
  readonly cases: readonly CaseFacts[];
  /** Baselines first, A/A copies last. */
  readonly targets: readonly TargetFacts[];
  /** What each target took by itself: one for each case, target, metric, load and place that was measured. */
  readonly levels: readonly Level[];
  /** Who differs from whom: one for each case, target, baseline, metric and place that was compared. */
  readonly changes: readonly Change[];
  /** How a quantity grows from request to request. */
  readonly trends: readonly Trend[];
  /** What was answered: one for each case, target, load and place. */
  readonly answers: readonly Answer[];
  /** Settings that could differ between targets: pins, flags, regions, versions. */
  readonly settings: readonly Setting[];
  /** What a reader has to know, the gravest first; each code once. */
  readonly notices: readonly Notice[];
  /** What would decide more, the most useful first. */
  readonly next: readonly NextStep[];
  /** What was read of an own app's folder; null where the run has none. */
  readonly app: AppFacts | null;
}

/** Which run it was, where, and how it was asked for. */
export interface RunFacts {
  /** Name of its folder when it was measured: "20261121-093015-3fa9". Of a comparison of two runs: both, with ".." between. */
  readonly id: string;
  /** Time of its start in UTC, as in "2026-11-21T09:30:15.000Z". */
  readonly startedAt: string;
  /** From start to end; null while it runs, from several places, and where the clock was set back. */
  readonly tookMs: number | null;
  /** Time in which requests were measured, and in which instances were warmed up: the two largest parts of `tookMs`. */
  readonly measuringMs: number;
  readonly warmUpMs: number;
  readonly status: "complete" | "interrupted" | "running" | "failed";
  /** true for a smoke test: it has levels and no change. */
  readonly quick: boolean;
  /**
   * Words behind the program as they were typed, options by their long names and with one value at most, with "<value>" in
   * the place of secrets: ["--trials", "10"]; null where none was recorded.
   */
  readonly command: readonly string[] | null;
  /** The settings file that counted beside these words; null where none did. */
  readonly settings: {
    readonly file: string;
    readonly digest: string;
    readonly keys: readonly string[];
  } | null;
  /** The number that gives the same order again: --seed. null where there is no order. */
  readonly seed: number | null;
  /** Trials of each case that were measured, from the fewest to the most, and the most that it could have had. */
  readonly trials: { readonly fewest: number; readonly most: number; readonly planned: number };
  /** "cases" of this repository, "servers" of the user's own, an own "app", or two "states" of something. */
  readonly of: "cases" | "servers" | "app" | "states";
  /** "local": client and servers on one machine; "network": from one machine; "places": from several. */
  readonly from: "local" | "network" | "places";
  /** null where several machines measured. */
  readonly machine: MachineFacts | null;
  /** Version of Evenbench that measured. */
  readonly evenbench: string;
  /** The commit that measured, where its files were as committed; null else. */
  readonly commit: string | null;
  /** Address of the repository that measured, and the folder of its cases' sources; null where it is not known. */
  readonly repository: string | null;
  /** The runs or states that are compared: one before, one after; empty for a single run. */
  readonly parts: readonly RunPart[];
  /** "samples": verdicts were decided from samples. "ends": they were judged again from interval ends of a file, without samples. */
  readonly judgedFrom: "samples" | "ends";
}

/** One of the runs or states that a comparison is made of. */
export interface RunPart {
  /** Id of the run, or the name of the state, such as "main". */
  readonly id: string;
  readonly state: "before" | "after";
  /** Commit of what was measured; null where it is not known. */
  readonly commit: string | null;
  /** true where files were not as committed; null where that is not known. */
  readonly changed: boolean | null;
  readonly machine: MachineFacts | null;
}

/** A machine that measured. */
export interface MachineFacts {
  /** "AMD EPYC", "Intel Xeon 2.50GHz". */
  readonly processor: string;
  readonly cores: number;
  /** Cores that it might use: 0.3 in a container with such a limit. */
  readonly usableCores: number;
  /** Memory that it might use. */
  readonly memoryBytes: number;
  /** Name and version of the operating system and architecture: "Linux 6.18.44 x64". */
  readonly system: string;
  /** true where client and servers had cores of their own. */
  readonly coresApart: boolean;
}

/** A piece of work that targets were compared by. */
export interface CaseFacts {
  /** Unique in a run. */
  readonly id: string;
  /** Name for people; of own servers and apps the path. */
  readonly title: string;
  readonly description: string;
  /** The path that was asked, of own servers and apps; null for cases of the repository. */
  readonly path: string | null;
  /** The app that serves it, such as "bundle" or "next". */
  readonly app: string;
  /** The kind of work by which cases are grouped. */
  readonly kindOfWork: string;
  /** File or folder of its source in the repository; null where it has none. */
  readonly source: string | null;
  /** true where the body comes in parts over time: then the first byte is worth a line. */
  readonly streams: boolean;
  /** Name of the target that the others are compared with; null where states are compared, each with its own. */
  readonly baseline: string | null;
  /** Why targets run unlike code, and how answers may differ, in the words of its author; null where they do not. */
  readonly notSameCode: string | null;
  readonly bodiesVary: string | null;
}

/** Something that was asked. */
export interface TargetFacts {
  /** Unique in a run, and never taken apart. */
  readonly name: string;
  /** Id of its platform, such as "cloudflare"; null for own servers. */
  readonly platform: string | null;
  /** Id of its app, such as "bundle" or "next"; null for own servers. */
  readonly app: string | null;
  /** Column that it stands in: targets of several apps on one platform share one, but never two of one case. */
  readonly column: string;
  /** Name in sentences and in heads of tables: "Cloudflare's workerd". */
  readonly spoken: string;
  /** Name of the target that it is the A/A copy of; null for originals. */
  readonly copyOf: string | null;
  /** Which one it is where two states of one thing are compared; null elsewhere. */
  readonly state: "before" | "after" | null;
  /** Number of its colour in pictures. */
  readonly colour: number;
  /** "workerd 1.20261117.1", "15.8.62.5", "@opennextjs/cloudflare 1.2.3", and the digest of the file that it ran. */
  readonly runtime: string | null;
  readonly engine: string | null;
  readonly adapter: string | null;
  readonly artifact: string | null;
  /** Size of what would be deployed, whole and compressed. */
  readonly size: { readonly bytes: number; readonly gzipBytes: number | null } | null;
  /** US dollars for an hour of CPU time and for a million requests; null where its platform names none. */
  readonly usdPerCpuHour: number | null;
  readonly usdPerMillion: number | null;
  /** Limits that its platform has on a metric, with the page that says so. */
  readonly limits: readonly {
    readonly metric: Metric | "sizeBytes" | "gzipBytes";
    readonly value: number;
    readonly source: string;
  }[];
  /** Why it was not built, not started or refused, with the words of what failed; null where it was measured. */
  readonly absent: { readonly code: Why; readonly quote: string | null } | null;
}

/** A quantity. The unit is at the end of the name; "ms" is milliseconds. */
export type Metric =
  | "lastByteMs" // from the request's write to the last byte
  | "firstByteMs"
  | "cpuMs" // of all threads, for one request
  | "coldStartMs" // from the start of the processes to the end of the first answer
  | "startupCpuMs" // CPU time until the app's modules are evaluated
  | "startupCompileMs"
  | "startupRunMs"
  | "computeMs" // to the last byte, less what sending as many bytes takes
  | "firstPartMs" // until the first part of a streamed body is there
  | "halfBodyMs"
  | "memoryBytes" // resident
  | "heapBytes" // in use after a collection
  | "bufferBytes" // beside the heap
  | "platformCpuMs" // as the platform accounts for it
  | "answersPerSecond" // of a load: achieved
  | "queuesFrom"; // requests at a time from which on they wait for one another

/** What was offered in a load. */
export interface Load {
  /** "concurrency": requests at a time. "rate": requests a second. "capacity": the highest rate that keeps a condition. */
  readonly kind: "concurrency" | "rate" | "capacity";
  /** Requests at a time, or a second; null for a capacity, which is found. */
  readonly value: number | null;
  /** Of a capacity: the share of requests, and the time in which they have to be answered. null else. */
  readonly condition: { readonly quantile: number; readonly limitMs: number } | null;
}

/** What one target took in one case, by one metric. */
export interface Level {
  /** null for what is a target's: start-up, size. */
  readonly case: string | null;
  readonly target: string;
  readonly metric: Metric;
  /** Median (of CPU time: mean) of each trial, averaged over trials; null without one. */
  readonly value: number | null;
  /** Ends of its 99 % interval; null where there is none. */
  readonly low: number | null;
  readonly high: number | null;
  /** The value of each trial that counts. */
  readonly byTrial: readonly number[];
  /** null with fewer requests than a quantile needs. */
  readonly p95: number | null;
  readonly p99: number | null;
  /**
   * "not-warm" where too few of its trials were warm, so that `byTrial` has the others, too; the reason for which there is no
   * value; null elsewhere.
   */
  readonly why: Why | null;
  /** What was offered; null without a load. */
  readonly load: Load | null;
  /** Name of the place that asked; null where one machine did. */
  readonly place: string | null;
}

/** How one target differs from another in one case, by one metric. */
export interface Change {
  /** null for what is a target's: start-up. */
  readonly case: string | null;
  readonly target: string;
  readonly baseline: string;
  readonly metric: Metric;
  /** "main": what the run was made for; "copy": the baseline against its own copy; "other": the same requests, by another baseline. */
  readonly role: "main" | "copy" | "other";
  /** "ratio": target / baseline, 0.8 is 20 % less. "ms": target − baseline, for what may be zero or below. */
  readonly unit: "ratio" | "ms";
  /** With the ends of the 99 % interval, by which a difference is judged; all null without an interval and where the verdict is "none". */
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Ends of the 90 % interval, by which "same" is judged. */
  readonly low90: number | null;
  readonly high90: number | null;
  /** Of "ms": how far from 0 is still the same. null for ratios, whose bound is 5 %. */
  readonly boundMs: number | null;
  readonly verdict: Verdict;
  /** Why there is no verdict, or no interval; null where both are there. */
  readonly why: Why | null;
  /** What makes it less sure than it looks. */
  readonly flags: readonly Flag[];
  /** The change of each trial alone. */
  readonly byTrial: readonly number[];
  /** null over all places, and where one machine asked. */
  readonly place: string | null;
}

/** "faster" takes less, whatever the metric; "none" is no verdict, and `why` says why. */
export type Verdict = "faster" | "slower" | "same" | "unclear" | "none";

/** Why there is no verdict or no interval, or why a target is absent. */
export type Why =
  | "few-trials" // fewer than two count on both sides
  | "scattered" // trials differ too much for an interval
  | "too-wide" // the interval includes 1, and its ends differ by more than a factor of 10
  | "not-warm"
  | "no-answer"
  | "bad-answer" // it answers, but not what was asked
  | "answers-differ" // the targets do not do the same work
  | "not-built"
  | "not-started"
  | "dropped"
  | "copy-differs" // the baseline's own copy differs by as much
  | "cached" // a cache answered
  | "not-measured" // it was asked for and not found out: nobody accounts for it, or its start or reading failed
  | "equal-builds" // both states are equal byte for byte
  | "one-state-only"
  | "too-small" // too small for the clock
  | "smoke-test"
  | "few-places" // fewer than two, or all behind the same edges
  | "places-disagree"
  | "few-requests" // too few for the quantile of a condition
  | "none-held" // a condition held under no load that was tried
  | "all-held" // it held under every one, so the most is not known
  | "unlike-runs"; // two runs that may not be compared

/** What makes a decided verdict less sure. At most four. */
export type Flag =
  | "copy-differs" // the baseline differed from its own copy by this metric
  | "client-waited" // the client itself was kept from running: times contain it, CPU time does not
  | "drifted" // one of both sides moved against the other by more than 10 % within trials
  | "unproven"; // answers differ, and --same-work assumed compared them

/** How a quantity grows with requests, judged against zero. */
export interface Trend {
  readonly case: string | null;
  readonly target: string;
  /** Name of the target beyond whose growth it grows; null where its own growth is meant. */
  readonly baseline: string | null;
  readonly metric: Metric;
  /** In units of the metric for one request, with the ends of the 99 % and the 90 % interval; null without one. */
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly low90: number | null;
  readonly high90: number | null;
  /** A slope below it is called "flat". */
  readonly bound: number;
  readonly verdict: "grows" | "flat" | "unclear" | "none";
  readonly why: Why | null;
}

/** What a target answered in a case. */
export interface Answer {
  readonly case: string;
  readonly target: string;
  readonly load: Load | null;
  readonly place: string | null;
  /** Requests that count; of all measured ones, those that failed; those that were sent again on a new connection. */
  readonly requests: number;
  readonly failed: number;
  readonly resent: number;
  /** Mean length of an answer's body; null without one. */
  readonly bytes: number | null;
  /** Who made the answer. */
  readonly from: "computed" | "cache" | "file" | "build";
}

/** A setting that could differ between targets. */
export interface Setting {
  /** "NODE_ENV", "dynamic", "region". */
  readonly key: string;
  /** true for what must be equal on all targets of a comparison, unless that was allowed; false for what may differ. */
  readonly mustBeEqual: boolean;
  readonly byTarget: readonly { readonly target: string; readonly value: string }[];
}

/** Something that a reader has to know, and can act on. Title and remedy of each code stand in one catalogue, for all media. */
export interface Notice {
  /** One of those of `NOTICE_CODES`, or of a newer version. */
  readonly code: string;
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly weight: "void" | "caution";
  /** Where it was found, and how much. */
  readonly found: readonly Found[];
}

/** A place where a notice holds. */
export interface Found {
  readonly case: string | null;
  readonly target: string | null;
  /** Index of the trial, from 0. */
  readonly trial: number | null;
  readonly load: Load | null;
  readonly place: string | null;
  /** Some of the numbers that the catalogue's entry has words for. */
  readonly numbers: Readonly<Record<string, number>>;
  /** What differs between two runs that are compared, by its code, with the value in each; null elsewhere. */
  readonly differs: { readonly key: string; readonly before: string; readonly after: string } | null;
  /** Words of a program or a log, shown in quotes and never read by code. */
  readonly quote: string | null;
}

/** A command that would decide what is open: the run's, with these options in the place of its own. */
export interface NextStep {
  readonly why: "more-trials" | "more-time";
  readonly cases: readonly string[];
  /** Values by the option's long name without dashes: { trials: "20" }. */
  readonly options: Readonly<Record<string, string>>;
  readonly aboutMs: number | null;
  /** Comparisons that it is about, and how many of them it would probably decide. */
  readonly open: number;
  readonly decides: number;
}

/** What was read of an own app's folder, and what stands in for its platforms' services. */
export interface AppFacts {
  /** Name of the folder, and of the framework that was found; null where none was. */
  readonly folder: string;
  readonly framework: string | null;
  /** Files that were read: what of them applies, and what does not, with a code for the reason. */
  readonly read: readonly {
    readonly file: string;
    readonly applied: readonly string[];
    readonly notApplied: readonly { readonly what: string; readonly why: string }[];
  }[];
  /** Services that are simulated. */
  readonly simulated: readonly { readonly target: string; readonly binding: string; readonly by: string }[];
}
