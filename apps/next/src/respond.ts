import { makeCreateHandler } from "@evenbench/bundle/handler";
import next from "next/package.json";
import { version as reactVersion } from "react";
import { indexedCases } from "./cases.ts";
import { facts, platform } from "./facts.ts";
import { thisInstance } from "./instance.ts";

const createHandler = makeCreateHandler({
  app: "next",
  label: `Next.js ${next.version}`,
  pins: {
    "nodeEnv.artifact": process.env.NODE_ENV,
    next: next.version,
    // App Router renders with the React that Next.js contains.
    react: reactVersion,
  },
  cases: indexedCases,
});

/** Answers everything but the pages: the same handler as on every other platform and in every other app. */
export const respond = createHandler({
  platform,
  nodeEnv: Reflect.get(process.env, "NODE_ENV"),
  facts,
  instance: thisInstance(),
});
