import { type CaseContext, type Identity, wholeResponse } from "@evenbench/core";
import type { CaseIndex, HandlerOptions, IndexedCase } from "./case-index.ts";
import type { InstanceCounts } from "./instance.ts";

/** Answers `/identity`. Loads the cases that have pins. */
export async function identify(
  index: CaseIndex,
  options: HandlerOptions,
  instance: InstanceCounts,
): Promise<Response> {
  const ofCases = await Promise.all(
    index.cases.filter((indexed) => indexed.hasPins).map((indexed) => casePins(indexed, options)),
  );
  const identity: Identity = {
    schemaVersion: 1,
    app: index.app,
    platform: options.platform,
    instance: { id: instance.id(), served: instance.served },
    pins: {
      ...index.pins,
      "nodeEnv.runtime": options.nodeEnv ?? "undefined",
      ...Object.fromEntries(ofCases.flat()),
      ...experimentPin(),
    },
    facts: options.facts(),
  };
  const response = wholeResponse(`${JSON.stringify(identity)}\n`, "application/json");
  response.headers.set("cache-control", "no-store");
  return response;
}

/** What is another about an experiment's side. Nothing else has this pin, so preflight lets it into no ordinary run. */
function experimentPin(): Record<string, string> {
  const experiment = process.env.EVENBENCH_EXPERIMENT;
  return experiment === undefined ? {} : { experiment };
}

/** A pin that cannot be read is a value too: it differs from its siblings, and preflight then names it. */
async function casePins({ manifest, load }: IndexedCase, context: CaseContext): Promise<[string, string][]> {
  const { id } = manifest;
  try {
    const definition = (await load?.())?.default;
    const pins = (await definition?.pins?.({ platform: context.platform })) ?? {};
    return Object.entries(pins).map(([name, value]) => [`${id}.${name}`, value]);
  } catch (error) {
    console.error(`evenbench: the settings of case "${id}" could not be read:`, error);
    return [[`${id}.pins`, `unreadable on ${context.platform}: ${error}`]];
  }
}
