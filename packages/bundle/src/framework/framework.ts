import empty from "@evenbench/cases/empty";
import payload from "@evenbench/cases/payload";
import {
  type CaseDefinition,
  type CaseManifest,
  caseManifest,
  DEVELOPMENT_PIN,
  MANIFEST_DEFAULTS,
  type PageTraits,
  type PlatformId,
  renderMarker,
  runtimeFacts,
} from "@evenbench/core";
import { explaining } from "../handler/explaining.ts";
import { makeCreateHandler } from "../handler/handler.ts";
import { type CaseIndex, type Handler, type InstanceCounts, newInstance } from "../handler/identity.ts";

const KEY = Symbol.for("evenbench.instance");
const shared = globalThis as { [KEY]?: InstanceCounts };

/** The one of this process: each page and each route may come from a bundle of its own. */
function thisInstance(): InstanceCounts {
  shared[KEY] ??= newInstance();
  return shared[KEY];
}

export async function inFlightUntil<T>(work: Promise<T>): Promise<T> {
  const instance = thisInstance();
  instance.inFlight++;
  try {
    return await work;
  } finally {
    instance.inFlight--;
  }
}

/** Read by name at run time: bundlers replace `process.env.NODE_ENV` by what they were built with. */
function nodeEnv(): string | undefined {
  return Reflect.get(process.env, "NODE_ENV");
}

interface FrameworkIndex extends CaseIndex {
  /** A runtime does not name it: several platforms may have the same one. */
  readonly platform: PlatformId | undefined;
  readonly adapter: string | undefined;
}

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

/** Its id begins with the app's. The page is at "/<id>". */
type PageDescription = Pick<CaseManifest, "id" | "title" | "kind" | "description"> &
  Required<Pick<CaseManifest, "source">> &
  Partial<Pick<CaseManifest, "masks" | "variation" | "warmAfter" | "rounds" | "scatter">> &
  PageTraits;

export function definePage({ streams, ...page }: PageDescription): CaseManifest {
  return { ...MANIFEST_DEFAULTS, ...page, path: `/${page.id}`, page: { streams } };
}

/** To be called once in each rendering, because it counts. */
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

/** Beside its own: the bundle's reference cases, with ids of their own, since no two apps have one id. */
export function appCases(app: string, pages: readonly CaseManifest[], routes: readonly RoutedHandler[] = []) {
  const reference = [
    { id: `${app}-empty`, path: "/empty", definition: empty },
    { id: `${app}-payload`, path: "/payload", definition: payload },
  ];
  const answered = [...reference, ...routes].map(({ id, path, definition }) => ({
    manifest: { ...caseManifest(id, definition), path },
    hasPins: definition.pins !== undefined,
    load: async () => ({ default: definition }),
  }));
  const index = [...answered, ...pages.map((manifest) => ({ manifest, hasPins: false, load: null }))];
  return { index, manifests: index.map(({ manifest }) => manifest) };
}
