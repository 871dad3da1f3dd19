import {
  type CaseContext,
  type CaseDefinition,
  type CaseManifest,
  type Identity,
  type PlatformId,
  wholeResponse,
} from "@evenbench/core";

/** The platform's part of the artifact's handler: settings, facts, and counts. */
export interface HandlerOptions {
  readonly platform: PlatformId;
  /** NODE_ENV at run time; undefined where it is not set. */
  readonly nodeEnv: string | undefined;
  /** Gives the target's facts whenever `/identity` is asked for. */
  facts(): Readonly<Record<string, string | null>>;
  /** Counts of this process. Default: new ones. */
  readonly instance?: InstanceCounts;
}

/** Answers one request. */
export type Handler = (request: Request) => Promise<Response>;
/** Makes the handler of all cases. */
export type CreateHandler = (options: HandlerOptions) => Handler;

/** A case as the index of a build names it. */
export interface IndexedCase {
  readonly manifest: Pick<
    CaseManifest,
    "id" | "path" | "title" | "description" | "parameters" | "services" | "sends"
  >;
  /** True where the case's module has pins of its own. */
  readonly hasPins: boolean;
  /** Loads its module; null where something else answers the path: a framework's page, which is only listed here. */
  readonly load: (() => Promise<{ readonly default: CaseDefinition }>) | null;
}

/** All cases of an app, as its build names them. */
export interface CaseIndex {
  readonly app: string;
  /** The words that the page at `/` has for the build: its digest, or a framework's version. */
  readonly label: string;
  readonly pins: Readonly<Record<string, string>>;
  readonly cases: readonly IndexedCase[];
}

/** The counts of an instance, which its answers carry. */
export interface InstanceCounts {
  /** Gives its id of 16 hexadecimal digits; made on first use, because Workers forbid randomness at module scope. */
  id(): string;
  /** Number of case requests so far. */
  served: number;
  /** Number of case requests whose response has not been handed to the platform yet. */
  inFlight: number;
}

/** Makes the counts of a new instance. */
export function newInstance(): InstanceCounts {
  let id: string | undefined;
  return {
    id() {
      id ??= crypto.randomUUID().replaceAll("-", "").slice(-16);
      return id;
    },
    served: 0,
    inFlight: 0,
  };
}

/** Answers `/identity`. */
export async function identify(
  index: CaseIndex,
  options: HandlerOptions,
  instance: InstanceCounts,
): Promise<Response> {
  const ofCases = await Promise.all(
    index.cases.filter((indexed) => indexed.hasPins).map((indexed) => casePins(indexed, options)),
  );
  const experiment = process.env.EVENBENCH_EXPERIMENT;
  const identity: Identity = {
    schemaVersion: 1,
    app: index.app,
    platform: options.platform,
    instance: { id: instance.id(), served: instance.served },
    pins: {
      ...index.pins,
      "nodeEnv.runtime": options.nodeEnv ?? "undefined",
      ...Object.fromEntries(ofCases.flat()),
      // Nothing else has this pin: preflight lets an experiment's side into no ordinary run.
      ...(experiment !== undefined && { experiment }),
    },
    facts: options.facts(),
  };
  const response = wholeResponse(`${JSON.stringify(identity)}\n`, "application/json");
  response.headers.set("cache-control", "no-store");
  return response;
}

/** Reads the pins of a case. One that cannot be read differs from its siblings, and preflight names it. */
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
