import type { Why } from "../facts/facts.ts";

/** Why there is no verdict, or no interval, in the few words that fit into a cell. */
export const WHY_WORDS: Readonly<Record<Why, string>> = {
  "few-trials": "too few trials",
  scattered: "trials differ too much",
  "too-wide": "interval too wide",
  "not-warm": "not warm",
  "no-answer": "no answer",
  "bad-answer": "wrong answer",
  "answers-differ": "answers differ",
  "not-built": "not built",
  "not-started": "not started",
  dropped: "dropped",
  "copy-differs": "its copy differs, too",
  cached: "from a cache",
  "not-measured": "not measured",
  "equal-builds": "equal builds",
  "one-state-only": "in one state only",
  "too-small": "too small to measure",
  "smoke-test": "smoke test",
  "few-places": "too few places",
  "places-disagree": "places disagree",
  "few-requests": "too few requests",
  "none-held": "none held",
  "all-held": "or more",
  "unlike-runs": "not comparable",
};
