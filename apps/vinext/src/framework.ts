// Takes the place of apps/next/src/framework.ts in builds by vinext.

const version = process.env.VINEXT_VERSION ?? "";

/** The framework that serves the pages. */
export const FRAMEWORK = {
  app: "vinext",
  title: "vinext",
  version,
  pins: { vinext: version, "vinext.react": process.env.REACT_VERSION ?? "" },
};
