import { html, type Markup } from "./markup.ts";

const NOTES: readonly (readonly [string, string])[] = [
  [
    "Ratio",
    "A target's median time divided by the baseline's, in each set of fresh instances, and the geometric mean of these. 1.10× takes 10 % longer, 0.90× takes 10 % less time. It can differ a little from the ratio of the two medians over the whole run.",
  ],
  [
    "95 % interval",
    "Were the whole run made again and again, 95 of 100 such intervals would contain the true ratio. It comes from a hierarchical bootstrap: sets of fresh instances are drawn first, then blocks of rounds within them.",
  ],
  [
    "Control",
    "The baseline is also measured against its own twin: same code, same runtime, other processes. Any difference there is noise, and it is this run's noise floor. The grey bands show it.",
  ],
  [
    "faster, slower",
    "Both intervals, against the baseline and against its twin, exclude 1 on the same side, and the difference is larger than the one between the baseline and its twin.",
  ],
  [
    "no difference seen",
    "The whole interval lies close to 1: within the precision that was asked for, or within the control's noise. It is no proof that the times are equal.",
  ],
  [
    "cannot tell",
    "Too little was measured, or the interval is too wide. More rounds are needed: give --time more.",
  ],
  [
    "First and last byte",
    "Both count from when the request was written. The first byte hides work done while streaming; the last byte contains the transfer. Each case names the one that is its honest headline.",
  ],
  [
    "Floor and work time",
    "The same instances also send constant text of the same length, in as many parts as the case's body. That takes the same way and no work; what the case takes beyond it is its work time, made in each set of instances before any ratio. Where noise is larger than the work there is no ratio.",
  ],
  [
    "Cold starts",
    "Fresh instances that are started for this alone, one at a time. Ready: the first answer to a request that needs no case. Everything is on a disk that has been read before; what a platform does to find, fetch and place an instance is not in it.",
  ],
  [
    "CPU time",
    "What the operating system accounts to the processes that serve, all threads, while the measured rounds go on; divided by their exchanges. Compilers and collectors that work in the background are in it. The interval is Student's t over the sets of instances.",
  ],
  [
    "CPU time by the platform",
    "What a platform accounts to each request, joined to the exchange by a name that the client gave it; the mean of the requests that have an account, with Student's t over the sets of instances. Platforms count different things and round, so there is no ratio.",
  ],
  [
    "Rounds",
    "Each round visits every target once, in random order, so that drifts of the machine reach all targets alike. Warm-up and failed exchanges are in no figure of times.",
  ],
  [
    "Between and within instances",
    "Two processes of the same build differ for their whole lives. Between: the scatter of the ratio over sets of fresh instances. Within: what the rounds of one set alone would explain.",
  ],
];

/** What the words of the report mean. */
export function methodSection(): Markup {
  return html`<section aria-labelledby="method"><h2 id="method">How to read this</h2><dl class="words">${NOTES.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>`)}</dl></section>`;
}
