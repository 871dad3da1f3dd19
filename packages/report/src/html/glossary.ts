/**
 * Words of the page that have a meaning of their own here, as docs/glossary.md explains them: a test holds
 * both to the same texts. Another word that the page is to explain is one more line.
 */
export const GLOSSARY = {
  "kind of work":
    "What a case is about, in a word or two, such as React or string building. Reports group cases by it. In code and JSON: kind.",
  case: "One piece of work with an address, such as rendering a page. The same parameters must always give the same body.",
  target:
    "One app on one platform, such as next-vercel; or a URL that somebody gave. It is what is built and deployed.",
  baseline:
    "The target that all others are compared with: node, or the first target where there is none, unless --baseline names another.",
  instance: "One running copy of a deployable: a process that keeps its state from one request to the next.",
  "setting that must be equal":
    "A fact about a running target that must not differ between targets, such as NODE_ENV or the build of React. --allow names one that may. In code and JSON: a pin.",
  request: "One question of the client, with its whole response.",
  trial:
    "One fresh start of every target (of one at a URL, a fresh connection), with the warm-up and the rounds that follow. A case has several, because two processes of one build differ for their whole lives.",
  preflight:
    "The check before anything is timed: all targets must send the same body, and their settings must be equal.",
  "warm-up": "Requests to a fresh instance that are not part of the result.",
  warm: 'Said of an instance whose times no longer fall. The measured rounds must show it; otherwise the verdict is "not warm".',
  "cold start":
    "The time from starting an instance until it is ready, and its first requests. It is measured apart, with --cold.",
  "first byte":
    "The time from writing the request until the first byte of the response arrives at the client's socket.",
  "last byte": "The time from writing the request until the whole body has arrived.",
  "transfer time":
    "What sending the same number of bytes takes when nothing is computed: the case payload, measured on the same instances.",
  "compute time": "The time of a case minus its transfer time.",
  "CPU time":
    "How long the instance's threads ran on a processor, as the operating system counts it. Waiting is not part of it.",
  interval:
    "Two numbers around a ratio. Of 100 such runs, about 99 give two between which the true ratio lies.",
  vantage:
    "A place that targets are measured from: one or more machines, in one region of one network. One value in what vantages say together.",
  edge: "The place of a platform that takes a request: for Cloudflare the colo that cf-ray names, for Vercel the first region in x-vercel-id.",
  "A/A copy":
    "The baseline a second time, from the same build, with instances of its own, named node~copy. Any difference between the two is noise.",
  "A/A control":
    "The comparison of the baseline with its copy. It shows how large a difference noise alone can make in this run.",
  "noise floor":
    "How far from 1 the interval of the A/A control reaches. It audits the run, and decides nothing.",
  verdict:
    "What may be said of a comparison: faster, slower, same (within 5 %), inconclusive, or not warm. The interval alone decides.",
} as const;

export type Word = keyof typeof GLOSSARY;
