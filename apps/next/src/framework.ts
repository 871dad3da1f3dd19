import next from "next/package.json";
import { version as reactVersion } from "react";

/** The framework that serves the pages. apps/vinext has another file in the place of this one. */
export const FRAMEWORK = {
  /** Id of the app that is built. */
  app: "next",
  title: "Next.js",
  version: next.version,
  /** App Router renders with the React that Next.js contains. */
  pins: { next: next.version, react: reactVersion },
};
