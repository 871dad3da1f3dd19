import { createResponder } from "@evenbench/bundle/framework";
import { index } from "./cases.ts";
import { FRAMEWORK } from "./framework.ts";

/** The pin of all pages but next-isr. Next.js reads it in the file of each, as a literal. */
const dynamic = "force-dynamic";

/** Answers requests for the cases that are no pages of Next.js, and for `/identity`. */
export const respond = createResponder({
  app: FRAMEWORK.app,
  label: `${FRAMEWORK.title} ${FRAMEWORK.version}`,
  platform: process.env.EVENBENCH_PLATFORM,
  adapter: process.env.BUILT_WITH,
  pins: {
    "nodeEnv.artifact": process.env.NODE_ENV,
    dynamic,
    ...FRAMEWORK.pins,
  },
  cases: index,
});
