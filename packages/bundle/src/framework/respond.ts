import { DEVELOPMENT_PIN, type PlatformId, runtimeFacts } from "@evenbench/core";
import { type CaseIndex, type Handler, makeCreateHandler } from "../handler/index.ts";
import { thisInstance } from "./instance.ts";

/** What the build of an app fills in. Undefined under a framework's own server for developing. */
export interface BuiltWith {
  /**
   * What the deployable is for. The source is one, and a runtime does not name it: several platforms may have
   * the same one.
   */
  readonly platform: PlatformId | undefined;
  /** Name and version of the framework's adapter for the platform. */
  readonly adapter: string | undefined;
}

/** Read by name at run time: bundlers replace `process.env.NODE_ENV` by what they were built with. */
function nodeEnv(): string | undefined {
  return Reflect.get(process.env, "NODE_ENV");
}

/** What a page says of its environment, so that it is proven from inside of the rendering. */
export function describeEnvironment(builtFor: string | undefined): string {
  return `built for ${builtFor}, running in ${nodeEnv()}`;
}

/** What answers everything but the pages of an app: the same handler as in every other app. */
export function createResponder(index: CaseIndex, { platform, adapter }: BuiltWith): Handler {
  // Also where somebody started the framework's own server by hand.
  const isDeveloping = index.pins["nodeEnv.artifact"] === "development";
  if (platform === undefined && !isDeveloping) {
    throw new Error(`The build of "${index.app}" does not fill in for which platform it is.`);
  }
  const developing = isDeveloping ? DEVELOPMENT_PIN : {};
  return makeCreateHandler({ ...index, pins: { ...index.pins, ...developing } })({
    platform: platform ?? "node",
    nodeEnv: nodeEnv(),
    facts: () => ({ ...runtimeFacts(), adapter: adapter ?? null }),
    instance: thisInstance(),
  });
}
