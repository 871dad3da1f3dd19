import { SAME_WITHIN } from "@evenbench/stats";

/** Words of the page that have a meaning of their own here, as docs/glossary.md explains them. */
export const GLOSSARY = {
  case: "One piece of work with an address, such as rendering a page. The same parameters always give the same body.",
  target: "One app on one platform, such as next-vercel; or a server that you named.",
  baseline:
    "The target that the others are compared with: node, or the first where there is none, unless --baseline names another.",
  instance: "One running copy of a deployable: a process that keeps its state from one request to the next.",
  "setting that must be equal":
    "A fact about a target that must not differ, such as NODE_ENV. preflight --allow names one that may. In code and JSON: a pin.",
  request: "One question of the client, with its whole response. In code and results: an exchange.",
  trial: "One fresh start of every target, or one fresh connection to a URL, with its warm-up and rounds.",
  preflight: "The check before anything is timed: all targets must send the same body, with equal settings.",
  "warm-up": "Requests to a fresh instance that are not part of the result.",
  warm: "Said of an instance whose times no longer fall. The measured rounds must show it.",
  "cold start": "The time from starting an instance until it is ready, and its first requests.",
  "first byte": "The time from writing the request until the first byte of the response arrives.",
  "last byte": "The time from writing the request until the whole body has arrived.",
  "transfer time": "What sending the same number of bytes takes when nothing is computed: the case payload.",
  "compute time": "The time of a case minus its transfer time.",
  "CPU time":
    "How long the instance's threads ran on a processor, added up, so that it can exceed the time. Waiting is not part of it. An instance's is the mean of its requests, since the sum is paid.",
  interval:
    "Two numbers around a change or a ratio. Of 100 such intervals, about 99 contain what is true of this machine during this run; another day can differ by more.",
  vantage: "A place that targets are measured from: one or more machines, in one region of one network.",
  edge: "The place of a platform that takes a request, as a header of its responses names it.",
  "A/A copy":
    "The baseline a second time, with instances of its own, named node~copy. Any difference between the two is noise.",
  "A/A control":
    "The comparison of the baseline with its copy. It shows what noise alone can do in this run.",
  verdict: `What may be said of a comparison: faster, slower, same (within ${100 * SAME_WITHIN} %), unclear, or none, with the reason. Less CPU time is called less, not faster.`,
} as const;
