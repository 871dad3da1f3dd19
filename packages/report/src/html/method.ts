import type { Run } from "@evenbench/results";
import { html, type Markup } from "./markup.ts";

const NOTES: readonly (readonly [string, string])[] = [
  ["Time", "The geometric mean of the trials' medians; and so is what is called a median of CPU time."],
  [
    "Ratio",
    "A target's time divided by the baseline's, which is the mean of the baseline and its A/A copy. 1.10× takes 10 % longer, 0.90× takes 10 % less time. What slows the machine for a round or a trial slows all targets, and falls out. So it can differ a little from one median divided by the other.",
  ],
  [
    "99 % interval",
    "Were the whole run made again and again, 99 of 100 such intervals would contain the true ratio. Each instance counts once, by its median. All targets of a case say how much instances differ, and the cases of a run inform each other about it, by how alike they are (Smyth, 2004).",
  ],
  [
    "Control",
    "The baseline is also measured against its own A/A copy: same code, same runtime, other processes. Any difference there is noise, so its interval should contain 1. The grey band reaches as far from 1 as that interval does. It is an audit and decides nothing: the intervals contain what instances differ by.",
  ],
  ["faster, slower", "The whole interval lies on one side of 1, and not within 5 % of it."],
  ["same", "The whole interval lies within 5 % of 1."],
  [
    "inconclusive",
    "The interval contains 1 and reaches farther than 5 %. The reason beside it says the bound. More trials narrow it (--time).",
  ],
  [
    "First and last byte",
    "Both count from when the request was written. The first byte hides work done while streaming; the last byte contains the transfer. Each case names the one that is its honest headline.",
  ],
  [
    "Transfer and compute time",
    "The same instances also send constant text of the same length, in as many parts as the case's body. That takes its transfer time and computes nothing; what the case takes beyond it is its compute time, made in each trial before any ratio. Where noise is larger than the compute time there is no ratio.",
  ],
  [
    "Cold starts",
    "Fresh instances that are started for this alone, one at a time. Ready: the first answer to a request that needs no case. Everything is on a disk that has been read before; what a platform does to find, fetch and place an instance is not in it.",
  ],
  [
    "CPU time",
    "What the operating system accounts to the processes that serve, all threads, while the measured rounds go on; divided by their requests. Compilers and collectors that work in the background are in it. The interval is Student's t over the trials.",
  ],
  [
    "CPU time for one request",
    "The account of all threads from the end of one request to the end of the next, where the system gives it that finely. It is compared as times are, with a control and a verdict of its own, and a busy machine hardly moves it.",
  ],
  [
    "Kinds",
    "Two levels with next to nothing between them, of instances or of requests: the best split by variance, where Ashman's D is larger than one-mode data give. A median lies on one of the levels; the mean is what is paid for.",
  ],
  [
    "Warm-up",
    "The n-th request of fresh instances. What the first 10 and 100 cost beyond warm ones is the sum of their excess over the mean of the measured requests of the same instance, and the median over instances.",
  ],
  [
    "CPU time by the platform",
    "What a platform accounts to each request, found by a name that the client gave it; the mean of the requests that have an account, with Student's t over the trials. Platforms count different things and round, so there is no ratio.",
  ],
  [
    "Rounds",
    "Each round visits every target once, in random order, so that drifts of the machine reach all targets alike. Warm-up and failed requests are in no figure of times.",
  ],
];

/** What takes the place of the notes of the same names where several vantages measured. */
const NOTES_OF_VANTAGES: readonly (readonly [string, string])[] = [
  [
    "Difference",
    "A target's median time less the baseline's, in each trial. A vantage's difference is the mean over its trials; clients behind one edge are one unit there. No ratio is pooled: the same milliseconds are another ratio on another route.",
  ],
  [
    "99 % interval",
    "Of a vantage: Student's t over its trials. Together: Student's t over the vantages, where those behind the same edges count once. A vantage is one value, however many trials it has: all of these share its routes.",
  ],
  [
    "The vantages disagree",
    "Two exclude 0 on different sides, or they differ by more than their trials explain (Cochran's Q, its chance by Welch's test) and not all exclude 0 on the same side. Then nothing is pooled.",
  ],
  [
    "Control",
    "The baseline is also measured against its own A/A copy. What the interval of that difference can reach is noise.",
  ],
];
const REPLACED = new Set(["Ratio", "faster, slower", ...NOTES_OF_VANTAGES.map(([word]) => word)]);

/** What the words of the report mean. */
export function methodSection(run: Pick<Run, "source" | "vantages">): Markup {
  const notes =
    run.vantages === undefined
      ? NOTES
      : [...NOTES_OF_VANTAGES, ...NOTES.filter(([word]) => !REPLACED.has(word))];
  return html`<section aria-labelledby="method"><h2 id="method">How to read this</h2>${glossaryLine(run)}<dl class="words">${notes.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`)}</dl></section>`;
}

/** The glossary of the commit that measured, which files that differed from it do not change. */
function glossaryLine({ source }: Pick<Run, "source">): Markup | null {
  if (source === null || source.repository === null) return null;
  const { repository, commit } = source;
  return html`<p class="lead">Words are explained in <a href="${repository}/blob/${commit}/docs/glossary.md">the glossary</a>.</p>`;
}
