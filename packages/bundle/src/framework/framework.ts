import empty from "@evenbench/cases/empty";
import payload from "@evenbench/cases/payload";
import {
  type CaseDefinition,
  type CaseManifest,
  caseManifest,
  DEVELOPMENT_PIN,
  type PageTraits,
  type PlatformId,
  type RenderAccount,
  renderMarker,
  runtimeFacts,
} from "@evenbench/core";
import { makeCreateHandler } from "../handler/handler.ts";
import {
  type CaseIndex,
  type Handler,
  type IndexedCase,
  type InstanceCounts,
  newInstance,
} from "../handler/identity.ts";

const KEY = Symbol.for("evenbench.instance");
const shared = globalThis as { [KEY]?: InstanceCounts };

/** The one of this process: each page and each route may come from a bundle of its own. */
export function thisInstance(): InstanceCounts {
  shared[KEY] ??= newInstance();
  return shared[KEY];
}

export function enterInstance(): RenderAccount {
  const instance = thisInstance();
  const { inFlight } = instance;
  return {
    instanceId: instance.id(),
    served: instance.served++,
    inFlight,
    renderId: newInstance().id(),
  };
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

export interface BuiltWith {
  /** A runtime does not name it: several platforms may have the same one. */
  readonly platform: PlatformId | undefined;
  readonly adapter: string | undefined;
}

/** Read by name at run time: bundlers replace `process.env.NODE_ENV` by what they were built with. */
function nodeEnv(): string | undefined {
  return Reflect.get(process.env, "NODE_ENV");
}

export function describeEnvironment(builtFor: string | undefined): string {
  return `built for ${builtFor}, running in ${nodeEnv()}`;
}

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

export interface PageDescription
  extends Partial<Pick<CaseManifest, "masks" | "variation" | "warmAfter">>,
    PageTraits {
  /** Begins with the app's id. The page is at "/<id>". */
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly kind: string;
  readonly description: string;
}

export function definePage({
  streams,
  masks = [],
  variation = null,
  ...page
}: PageDescription): CaseManifest {
  return {
    ...page,
    path: `/${page.id}`,
    parameters: {},
    golden: null,
    masks,
    variation,
    headline: "lastByteMs",
    notSameCode: null,
    services: [],
    page: { streams },
  };
}

/** To be called once in each rendering, because it counts. */
export function describeRendering(builtFor: string | undefined): string {
  return `${renderMarker(enterInstance())} ${describeEnvironment(builtFor)}`;
}

export interface RoutedHandler {
  readonly id: string;
  readonly path: string;
  readonly definition: CaseDefinition;
}

/** The bundle's own, with ids of their own: no two apps have one id. */
export function referenceCasesOf(app: string): readonly RoutedHandler[] {
  return [
    { id: `${app}-empty`, path: "/empty", definition: empty },
    { id: `${app}-payload`, path: "/payload", definition: payload },
  ];
}

export function manifestsOf(
  handlers: readonly RoutedHandler[],
  pages: readonly CaseManifest[],
): readonly CaseManifest[] {
  const own = handlers.map(({ id, path, definition }) => ({ ...caseManifest(id, definition), path }));
  return [...own, ...pages];
}

export function indexOf(
  handlers: readonly RoutedHandler[],
  pages: readonly CaseManifest[],
): readonly IndexedCase[] {
  const definitions = new Map(handlers.map(({ path, definition }) => [path, definition]));
  return manifestsOf(handlers, pages).map((manifest) => {
    const definition = definitions.get(manifest.path);
    return {
      manifest,
      hasPins: definition?.pins !== undefined,
      load: definition === undefined ? null : async () => ({ default: definition }),
    };
  });
}
