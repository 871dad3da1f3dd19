import type { RequestRecord } from "./identity.ts";
import type { BodyRules, Mask } from "./mask.ts";
import { describeBounds, type ParameterDeclarations, type ParameterValues } from "./parameters.ts";
import type { PlatformId } from "./platform.ts";

/** What the verifier expects of the response to the default parameters. */
export interface Golden {
  readonly status: number;
  /** The content type without parameters, or null where there is no body. */
  readonly contentType: string | null;
  /** Length of the body in bytes, before masking. */
  readonly bytes: number;
  /** SHA-256 of the masked body, in hexadecimal. */
  readonly sha256: string;
}

/** What a handler may know of where it runs. */
export interface CaseContext {
  readonly platform: PlatformId;
  /** Of the services that the case declares. It is not asked before all of them have one. */
  readonly services?: ServiceAddresses;
}

export type WarmAfter = Readonly<Record<PlatformId, number>>;

/** The time that is the honest headline of a case. */
export type Headline = "firstByteMs" | "lastByteMs";

/** One workload. Its id is the name of its folder. */
export interface CaseDefinition<D extends ParameterDeclarations = ParameterDeclarations> {
  readonly title: string;
  /** The kind of work, in one or two words such as "React" or "string building": reports group cases by it. */
  readonly kind?: string;
  /** One or two sentences: what work it does. */
  readonly description: string;
  readonly parameters: D;
  /** null until the first verified run has printed the values to confirm. */
  readonly golden: Golden | null;
  readonly masks?: readonly Mask[];
  readonly headline: Headline;
  /** Set where the platforms run different code for this case; reports print it with every comparison. */
  readonly notSameCode?: string;
  /**
   * After how many requests a fresh instance was warm in long series, by platform: what the first run on a
   * machine begins with, before it has findings of its own. Left out: that run searches.
   */
  readonly warmAfter?: WarmAfter;
  /** What it talks to. Where one is not there, the case answers 503, and a default run leaves it out. */
  readonly services?: readonly ServiceId[];
  /** Versions and builds of what the case renders with; they become pins "<case>.<name>" of the target's identity. */
  pins?(context: CaseContext): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  handle(
    request: Request,
    parameters: ParameterValues<D>,
    context: CaseContext,
  ): Response | Promise<Response>;
}

export interface CaseManifest extends BodyRules {
  /** Names the case in a run: no two apps have one id. */
  readonly id: string;
  /** Where targets answer it, such as "/react-ssr". */
  readonly path: string;
  readonly title: string;
  readonly kind: string | null;
  readonly description: string;
  readonly parameters: ParameterDeclarations;
  readonly golden: Golden | null;
  readonly headline: Headline;
  readonly notSameCode: string | null;
  readonly services: readonly ServiceId[];
  readonly warmAfter?: WarmAfter;
  readonly page: PageTraits | null;
  /**
   * Its source in the repository, with a line: "packages/cases/trig/case.ts#L19". Without it people find it
   * by `sourceOfCase`.
   */
  readonly source?: string;
  /** How a target that knows nothing of Evenbench is asked; only its cases have this. */
  readonly request?: RequestRecord;
}

/** What holds for a page that a framework renders anew for each request, and that says so by `renderMarker`. */
export interface PageTraits {
  /** Whether its body comes in parts, as they are rendered; null for a page that is too small to tell. */
  readonly streams: boolean | null;
}

/**
 * Declares a case: `packages/cases/<id>/case.ts` has it as its default export.
 *
 * @throws {TypeError} when a parameter's default lies outside its own bounds.
 */
export function defineCase<const D extends ParameterDeclarations>(
  definition: CaseDefinition<D>,
): CaseDefinition<D> {
  for (const [name, parameter] of Object.entries(definition.parameters)) {
    const inBounds =
      parameter.type === "integer"
        ? parameter.default >= parameter.minimum && parameter.default <= parameter.maximum
        : parameter.choices.includes(parameter.default);
    if (!inBounds) {
      throw new TypeError(
        `Parameter "${name}" of "${definition.title}" must be ${describeBounds(parameter)}; its default is ${parameter.default}.`,
      );
    }
  }
  return definition;
}

export function caseManifest(id: string, definition: CaseDefinition): CaseManifest {
  return {
    id,
    path: `/${id}`,
    title: definition.title,
    kind: definition.kind ?? null,
    description: definition.description,
    parameters: definition.parameters,
    golden: definition.golden,
    masks: definition.masks ?? [],
    headline: definition.headline,
    notSameCode: definition.notSameCode ?? null,
    services: definition.services ?? [],
    variation: null,
    page: null,
    ...(definition.warmAfter && { warmAfter: definition.warmAfter }),
  };
}

export type ServiceId = string;

/** Where services are, as "host:port", by id. */
export type ServiceAddresses = Readonly<Record<ServiceId, string>>;

/**
 * The variable of the environment by which whoever serves a target says where a service is:
 * EVENBENCH_SERVICE_MEMCACHED.
 */
export function serviceVariable(id: ServiceId): string {
  return `EVENBENCH_SERVICE_${id.toUpperCase().replaceAll("-", "_")}`;
}
