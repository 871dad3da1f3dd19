import { act, version } from "react";

/** The part of a definition that all cases have in common which render the document with React. */
export const REACT_CASE = {
  kind: "React",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: 1984636,
    sha256: "03dcc049850c74239eedb91bd1db252c57875d2a3cf66fef3c21283419e9c9d6",
  },
  // React's production build has no `act`: what runs is asked, not what was configured.
  pins: () => ({ react: version, reactBuild: act === undefined ? "production" : "development" }),
} as const;
