import empty from "@evenbench/cases/empty";
import payload from "@evenbench/cases/payload";
import {
  type CaseDefinition,
  type CaseManifest,
  DEVELOPMENT_PIN,
  MANIFEST_DEFAULTS,
  manifestOfCase,
  type PageTraits,
  type PlatformId,
  renderMarker,
  runtimeFacts,
} from "@evenbench/core";
import { explaining } from "../handler/explaining.ts";
import { makeCreateHandler } from "../handler/handler.ts";
import {
  type CaseIndex,
  type Handler,
  type IndexedCase,
  type InstanceCounts,
  newInstance,
} from "../handler/identity.ts";

const COUNTS_KEY = Symbol.for("evenbench.instance");
const sharedCounts = globalThis as { [COUNTS_KEY]?: InstanceCounts };

/** Gives the counts of this process: each page and each route may come from a bundle of its own. */
function thisInstance(): InstanceCounts {
  sharedCounts[COUNTS_KEY] ??= newInstance();
  return sharedCounts[COUNTS_KEY];
}

/** Counts a rendering as in flight until its work is over. */
export async function inFlightUntil<T>(work: Promise<T>): Promise<T> {
  const instance = thisInstance();
  instance.inFlight++;
  try {
    return await work;
  } finally {
    instance.inFlight--;
  }
}

/** Reads NODE_ENV by name at run time: bundlers replace `process.env.NODE_ENV` by what they were built with. */
function nodeEnv(): string | undefined {
  return Reflect.get(process.env, "NODE_ENV");
}

/** All cases of a framework's app, with what its build fills in. */
interface FrameworkIndex extends CaseIndex {
  /**
   * The platform that it is built for; undefined while developing. A runtime does not name it: several may have the
   * same.
   */
  readonly platform: PlatformId | undefined;
  /** Name and version of the adapter that built it; undefined while developing. */
  readonly adapter: string | undefined;
}

/** Makes the handler of a framework's app. @throws {Error} where its build does not fill in the platform. */
export function createResponder({ platform, adapter, ...index }: FrameworkIndex): Handler {
  // Also where somebody started the framework's own server by hand.
  const isDeveloping = index.pins["nodeEnv.artifact"] === "development";
  if (platform === undefined && !isDeveloping) {
    throw new Error(`The build of "${index.app}" does not fill in for which platform it is.`);
  }
  const pins = { ...index.pins, ...(isDeveloping && DEVELOPMENT_PIN) };
  const cases = isDeveloping ? explaining(index.cases) : index.cases;
  return makeCreateHandler({ ...index, pins, cases })({
    platform: platform ?? "node",
    nodeEnv: nodeEnv(),
    facts: () => ({ ...runtimeFacts(), adapter: adapter ?? null }),
    instance: thisInstance(),
  });
}

/** A page of an app. Its id begins with the app's, and it is at "/<id>". */
type PageDescription = Pick<CaseManifest, "id" | "title" | "kind" | "description"> &
  Required<Pick<CaseManifest, "source">> &
  Partial<Pick<CaseManifest, "masks" | "variation" | "rounds" | "scatter">> &
  PageTraits;

/** Makes the manifest of a page. */
export function definePage({ streams, ...page }: PageDescription): CaseManifest {
  return { ...MANIFEST_DEFAULTS, ...page, path: `/${page.id}`, page: { streams } };
}

/** Writes the render marker of a page. Call it once in each rendering, because it counts. */
export function describeRendering(builtFor: string | undefined): string {
  const instance = thisInstance();
  const { inFlight } = instance;
  const counts = { instanceId: instance.id(), served: instance.served++, inFlight };
  const marker = renderMarker({ ...counts, renderId: newInstance().id() });
  return `${marker} built for ${builtFor}, running in ${nodeEnv()}`;
}

interface RoutedHandler {
  readonly id: string;
  readonly path: string;
  readonly definition: CaseDefinition;
}

/** All cases of a framework's app. */
export interface AppCases {
  /** The cases as the app's handler needs them. */
  readonly index: readonly IndexedCase[];
  readonly manifests: readonly CaseManifest[];
}

/**
 * Lists the cases of a framework's app: its pages, its routes, and the reference cases "empty" and "payload" by ids of
 * its own.
 */
export function appCases(
  app: string,
  pages: readonly CaseManifest[],
  routes: readonly RoutedHandler[] = [],
): AppCases {
  const reference = [
    { id: `${app}-empty`, path: "/empty", definition: empty },
    { id: `${app}-payload`, path: "/payload", definition: payload },
  ];
  const answered = [...reference, ...routes].map(({ id, path, definition }) => ({
    manifest: { ...manifestOfCase(id, definition), path },
    hasPins: definition.pins !== undefined,
    load: async () => ({ default: definition }),
  }));
  const index = [...answered, ...pages.map((manifest) => ({ manifest, hasPins: false, load: null }))];
  return { index, manifests: index.map(({ manifest }) => manifest) };
}
