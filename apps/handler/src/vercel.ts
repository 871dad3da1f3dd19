import { answering } from "./environment.ts";

/** The context of a request on Vercel. */
interface RequestContext {
  waitUntil?(work: Promise<unknown>): void;
}

/** The name by which @vercel/functions looks up a request's context. */
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
