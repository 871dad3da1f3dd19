import { type CaseIndex, type Handler, makeCreateHandler } from "@evenbench/bundle/handler";
import { DEVELOPMENT_PIN, type PlatformId } from "@evenbench/core";
import { thisInstance } from "./instance.ts";

/** Where this runs. The source is one; the runtime tells. */
const platform: PlatformId =
  globalThis.navigator?.userAgent === "Cloudflare-Workers"
    ? "cloudflare"
    : process.env.VERCEL === "1"
      ? "vercel"
      : "node";

/** Read by name at run time: bundlers replace `process.env.NODE_ENV` by what they were built with. */
function nodeEnv(): string | undefined {
  return Reflect.get(process.env, "NODE_ENV");
}

/** What a page says of its environment, so that it is proven from inside of the rendering. */
export function describeEnvironment(builtFor: string | undefined): string {
  return `built for ${builtFor}, running in ${nodeEnv()}`;
}

/**
 * What answers everything but the pages of an app: the same handler as in every other app.
 *
 * @param builtWith name and version of the framework's adapter for the platform.
 */
export function createResponder(index: CaseIndex, builtWith: string | undefined): Handler {
  // Also where somebody started the framework's own server by hand.
  const developing = index.pins["nodeEnv.artifact"] === "development" ? DEVELOPMENT_PIN : {};
  return makeCreateHandler({ ...index, pins: { ...index.pins, ...developing } })({
    platform,
    nodeEnv: nodeEnv(),
    facts: () => facts(builtWith ?? null),
    instance: thisInstance(),
  });
}

/** What `/identity` tells beyond the pins. EVENBENCH_BUILD is a deployment's, the others of that kind are the local host's. */
function facts(adapter: string | null): Record<string, string | null> {
  const { env } = process;
  const common = { adapter, build: env.EVENBENCH_BUILD ?? null, region: env.VERCEL_REGION ?? null };
  if (platform === "cloudflare") {
    const { EVENBENCH_RUNTIME: runtime, EVENBENCH_V8: v8, EVENBENCH_V8_FLAGS: flags } = env;
    return { ...common, runtime: runtime ?? null, v8: v8 ?? null, v8Flags: flags ?? null };
  }
  return {
    ...common,
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8,
    system: `${process.platform} ${process.arch}`,
    workers: env.EVENBENCH_WORKERS ?? null,
    // Flags that the host's own files need say nothing about the comparison.
    v8Flags: process.execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag)).join(" ") || "none",
  };
}
