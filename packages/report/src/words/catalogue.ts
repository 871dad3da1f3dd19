// The one table of notices: what each code says, and what to do. docs/verdicts.md is written from it.
import { counted, formatDuration, formatMs, formatPercent } from "@evenbench/page";
import type { NoticeCode, RemarkCode } from "../facts/codes.ts";

type Numbers = Readonly<Record<string, number>>;

/** Words for some of the numbers that a place may have. */
export interface Amount {
  /** Names of the numbers that it needs; the first one says which place is the worst. */
  readonly numbers: readonly string[];
  /** Writes them: "12 of 340 requests". */
  says(numbers: Numbers): string;
}

/** What a code of a notice says. */
export interface CatalogueEntry {
  /** What happened, in a few words without a full stop. */
  readonly title: string;
  /** What it means, and what to do, in sentences. */
  readonly remedy: string;
  /** How much it was: of several kinds, a place has one or more. */
  readonly amounts: readonly Amount[];
}

function entry(title: string, remedy: string, ...amounts: readonly Amount[]): CatalogueEntry {
  return { title, remedy, amounts };
}

/** Makes the words for some numbers; `says` gets them in the order of their names. */
function amount<Names extends readonly string[]>(
  numbers: Names,
  says: (...values: { [Index in keyof Names]: number }) => string,
): Amount {
  return {
    numbers,
    says: (found) => says(...(numbers.map((name) => found[name] ?? 0) as { [Index in keyof Names]: number })),
  };
}

type Entries = Readonly<Partial<Record<NoticeCode, CatalogueEntry>>>;

const requestsOf = (count: number, all: number) => `${count} of ${counted(all, "request")}`;
const times = (count: number) => counted(count, "time");

/** What the codes of notices say of which something has no result. */
export const OF_NO_RESULT = {
  "build-failed": entry("Not built", "It has no result. Mend the build, then run the same command."),
  "case-failed": entry(
    "No result",
    "Mend what the words name, then measure that case again.",
    amount(["count", "of"], (count, all) => `${requestsOf(count, all)} failed`),
  ),
  "target-dropped": entry(
    "Did not start, or stopped",
    "It did not start, too many of its requests failed, or it answered otherwise than at first. Read its log in the run's folder.",
  ),
  "stage-ended": entry(
    "A load ended early",
    "What was cut is in no mean, and what was to follow was not tried. Read the log in the run's folder.",
  ),
  "nothing-measured": entry("No request was measured", "Measure it again, with more time."),
  "memory-failed": entry(
    "Memory was not read",
    "It is in no number. Memory needs V8's inspector in the process that serves, and an answer to each request.",
  ),
  "samples-damaged": entry(
    "What was measured is damaged",
    "Lines cannot be read, or a client's log has no end. Results use the rest. Measure again.",
  ),
  "connections-hung": entry(
    "Connections got no answer",
    "Their users wait for ever, so there are no latencies. Find out why only some connections are answered.",
  ),
} satisfies Entries;

/** What the codes of notices say with which results stand. */
export const TO_KNOW = {
  "machine-unsteady": entry(
    "The machine was unsteady",
    "Other programs used its processor, another run was active, a limit stopped processes, or all servers took longer in some starts. They take turns, so it meets all of them; but intervals are wider, and a ratio may depend on the speed. Measure again while nothing else runs, or on a machine that others do not share.",
    amount(["longer"], (longer) => `some starts took up to ${formatPercent(longer)} longer`),
    amount(["cores"], (cores) => `other programs used ${cores.toFixed(1)} cores`),
  ),
  "unproven-work": entry(
    "Answers differ, and were compared all the same",
    "You passed --same-work assumed. Compare the answers yourself, or hide with --mask what may differ.",
  ),
  "settings-allowed": entry(
    "Settings differ that should be equal",
    "You passed --allow, or clients used several versions of HTTP. A difference may come from that. Make them equal.",
  ),
  masked: entry(
    "What changes by itself is hidden",
    "It was left out when answers were compared. See that it is not what you compare.",
  ),
  "requests-failed": entry(
    "Requests failed",
    "They are counted, and left out of all times. Read the log in the run's folder.",
    amount(["count", "of"], requestsOf),
  ),
  "short-of-time": entry(
    "Short of time",
    "A server was not warm yet, so its times may be too long. Give it more time.",
  ),
  "answer-empty": entry(
    "An empty answer is measured",
    "An answer of 0 bytes is seldom the work. See that the path is the one that you mean.",
  ),
  "work-behind": entry(
    "Work is done behind the answer",
    "It is in no time of one request. Compare CPU time, or many requests at a time by load.",
  ),
  "work-elsewhere": entry(
    "Another process does the work",
    "Its CPU time is not counted, so there is no verdict on that. Start what does the work as the target.",
  ),
  "log-heavy": entry(
    "A server writes much into its log",
    "Writing is in its times. Turn its debug output off. Of its log, the beginning and the end are kept.",
  ),
  "open-to-others": entry(
    "Other machines can reach a server",
    "Let it listen on 127.0.0.1, which its variable HOST says.",
  ),
  restarted: entry(
    "Ended by itself and was started again",
    "Of such a trial only the last process counts. Read the log in the run's folder.",
    amount(["count"], times),
  ),
  "connections-closed": entry(
    "Connections did not stay open",
    "The server ended them, and a request on a new connection takes longer. Let it keep connections open.",
    amount(["count", "of"], requestsOf),
  ),
  "not-alone": entry(
    "Others sent requests meanwhile",
    "Times include waiting behind them. Measure a server that nobody else uses.",
    amount(["count"], (count) => counted(count, "request")),
  ),
  "client-busy": entry(
    "The measuring client was busy itself",
    "Its own work may be in the times. Ask for smaller answers, or use a faster machine.",
    amount(["share"], (share) => `${formatPercent(share)} of a core`),
  ),
  "client-failed": entry(
    "The measuring client itself failed",
    "Its process stood still, or could open no connection. These requests count for nobody. Measure again while nothing else runs.",
    amount(["count"], (count) => counted(count, "request")),
  ),
  "cores-shared": entry(
    "Client and servers shared their cores",
    "Sending may slow the servers down. Cores apart need Linux, two cores and taskset.",
  ),
  "start-failed": entry(
    "A start was not measured",
    "It is in no number. A start needs its port, lock and files free, and rest within 30 seconds.",
  ),
  "unlike-runs": entry(
    "The runs differ in more than what is compared",
    "A difference may come from that. Measure both in the same way.",
  ),
  "not-in-turns": entry(
    "The runs did not take turns",
    "What changed on the machine between them is in these changes, and in no interval. Let `against` measure both in turns.",
  ),
  "same-run": entry("A run stands here more than once", "Copies of one run are counted once."),
  "judged-otherwise": entry(
    "The file of facts says otherwise than its samples",
    "What is shown was made from the samples. Make the file again by the command report.",
  ),
  "equal-builds": entry("Both builds are equal byte for byte", "There is nothing to compare."),
  "client-late": entry(
    "The client was late",
    "Latencies contain its delay. Offer less, or use a faster machine.",
    amount(["count", "of"], requestsOf),
  ),
  "more-waited": entry(
    "More requests waited than times explain",
    "Little's law does not hold, so latencies there are too small. Do not use them, and offer less.",
  ),
  "requests-dropped": entry(
    "Requests were not sent",
    "The server could take no more. Offer less, or look for its limit by --capacity.",
    amount(["count"], (count) => counted(count, "request")),
  ),
} satisfies Entries;

/** What every code of a notice says. */
export const CATALOGUE: Readonly<Record<NoticeCode, CatalogueEntry>> = { ...OF_NO_RESULT, ...TO_KNOW };

/** What every code of a remark says: it asks for nothing, and stands on the page of its case alone. */
export const REMARKS: Readonly<Record<RemarkCode, CatalogueEntry>> = {
  "client-waited": entry(
    "The measuring client had to wait",
    "Times contain its waiting, CPU time does not. All servers meet it, so it hides differences rather than making them.",
    amount(
      ["delayMs", "requestMs"],
      (delayMs, requestMs) => `${formatMs(delayMs)}, where a request takes ${formatMs(requestMs)}`,
    ),
  ),
  drifted: entry(
    "A server changed speed while it was measured",
    "Its interval contains what moves from trial to trial.",
    amount(["share"], (share) => formatPercent(share)),
  ),
  "copy-differs": entry(
    "The baseline differed from its own copy",
    "Chance does that in 1 of 100 runs. Measure that case again.",
    amount(["share"], (share) => formatPercent(share)),
  ),
  "bodies-sampled": entry(
    "Not every answer was compared",
    "Answers differ each time and are long, so a share was compared, drawn at random.",
  ),
  "settings-unknown": entry(
    "Settings of these servers are not known",
    "Their answers alone were compared. Check that each runs the same production build.",
  ),
  "headers-matter": entry(
    "Headers of these answers matter in use",
    "A cache in front, or a cookie that comes back, may change what is computed.",
  ),
  cache: entry(
    "A cache, a file or the build answered",
    "Nothing was computed, so there is no verdict. Measure a path that is computed for each request.",
  ),
  "no-golden": entry(
    "No answer was recorded for this case",
    "All servers sent the same one. Look at it, then accept it by preflight --accept.",
  ),
  "clock-set": entry(
    "The system's clock was set meanwhile",
    "Times are of another clock, and stay right.",
    amount(["ms"], (ms) => formatDuration(ms)),
  ),
  "bodies-vary": entry(
    "Answers are equal but for what a framework generates",
    "They were compared without that. There is nothing to do.",
  ),
  "one-process": entry(
    "One process for the whole run",
    "Another start of it may differ by more. Let each trial start it by its command.",
  ),
  "provider-cpu": entry(
    "CPU time by the platform's own account",
    "Compare it only with numbers of the same source.",
  ),
  "slow-requests": entry(
    "Slow requests say otherwise",
    "The slowest 5 % of requests differ in the other direction.",
  ),
};
