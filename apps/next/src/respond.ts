import { createResponder } from "@evenbench/bundle/framework";
import next from "next/package.json";
import { version as reactVersion } from "react";
import { dynamic } from "../app/layout.tsx";
import { index } from "./cases.ts";

/** Answers requests for the cases that are no pages of Next.js, and for `/identity`. */
export const respond = createResponder({
  app: "next",
  label: `Next.js ${next.version}`,
  platform: process.env.EVENBENCH_PLATFORM,
  adapter: process.env.BUILT_WITH,
  pins: {
    "nodeEnv.artifact": process.env.NODE_ENV,
    next: next.version,
    dynamic,
    // App Router renders with the React that Next.js contains.
    react: reactVersion,
  },
  cases: index,
});
