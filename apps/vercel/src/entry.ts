// The Vercel Function: the artifact's handler as the web-standard `fetch` export of the Node.js runtime.
import { createHandler } from "./artifact/index.mjs";
import { facts } from "./facts.ts";

export default {
  fetch: createHandler({ platform: "vercel", nodeEnv: process.env.NODE_ENV, facts }),
};
