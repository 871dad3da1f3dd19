import { answering } from "./environment.ts";

interface RequestContext {
  waitUntil?(work: Promise<unknown>): void;
}

/** What @vercel/functions looks up. */
const CONTEXT = Symbol.for("@vercel/request-context");

function contextOf(holder: object): RequestContext {
  const { [CONTEXT]: found } = holder as { readonly [CONTEXT]?: { get(): RequestContext | undefined } };
  return found?.get() ?? {};
}

export default {
  fetch: answering((work) => {
    contextOf(globalThis).waitUntil?.(work);
  }),
};
