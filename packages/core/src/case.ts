import { describeBounds, type ParameterDeclarations, type ParameterValues } from "./parameters.ts";
import type { PlatformId } from "./platform.ts";
import type { CaseManifest, Golden, Mask, Parameter } from "./schema.ts";

export interface CaseContext {
  readonly platform: PlatformId;
  /** Of all services that the case declares. */
  readonly services?: ServiceAddresses;
}

/** One workload. Its id is the name of its folder. */
export interface CaseDefinition<D extends ParameterDeclarations = ParameterDeclarations> {
  readonly title: string;
  /** In one or two words such as "string building": reports group cases by it. */
  readonly kind?: string;
  readonly description: string;
  readonly parameters: D;
  /** null until the first verified run has printed the values to confirm. */
  readonly golden: Golden | null;
  readonly masks?: readonly Mask[];
  /** The time that it is judged by. Default: "lastByteMs". */
  readonly headline?: CaseManifest["headline"];
  /** Set where the platforms run different code; reports print it with every comparison. */
  readonly notSameCode?: string;
  /** Requests until an instance was warm in long series: where a machine's first run begins. Left out: it searches. */
  readonly warmAfter?: Readonly<Record<PlatformId, number>>;
  /** Of an instance, where answers scatter more than instances do. Left out: what fills 2 to 5 seconds, up to 24. */
  readonly rounds?: number;
  /** Standard deviation between instances, as a fraction, in runs so far. Left out: 0.04. */
  readonly scatter?: number;
  /** What it talks to. Without one of them it answers 503, and a default run leaves it out. */
  readonly services?: readonly ServiceId[];
  /** Versions and builds of what it renders with: pins "<case>.<name>" of the target's identity. */
  pins?(context: CaseContext): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  handle(
    request: Request,
    parameters: ParameterValues<D>,
    context: CaseContext,
  ): Response | Promise<Response>;
}

/** What `defineCase` takes: a case, which need not say that it has no parameters. */
export interface CaseDeclaration<D extends ParameterDeclarations>
  extends Omit<CaseDefinition<D>, "parameters"> {
  /** Left out: it has none. */
  readonly parameters?: D;
}

/**
 * The default export of `packages/cases/<id>/case.ts`.
 *
 * @throws {TypeError} when a parameter's default lies outside its own bounds.
 */
export function defineCase<const D extends ParameterDeclarations = Record<never, Parameter>>(
  declaration: CaseDeclaration<D>,
): CaseDefinition<D> {
  const { parameters = {} as D } = declaration;
  const definition: CaseDefinition<D> = { ...declaration, parameters };
  // Where it was written without types, the build names the field.
  if (typeof parameters !== "object" || parameters === null) {
    return definition;
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (isInBounds(parameter)) {
      continue;
    }
    throw new TypeError(
      `Parameter "${name}" of "${declaration.title}" must be ${describeBounds(parameter)}; its default is ${parameter.default}.`,
    );
  }
  return definition;
}

/** Of a type that there is not, there are no bounds: the build names it. */
function isInBounds(parameter: Parameter): boolean {
  if (parameter?.type === "integer") {
    return parameter.default >= parameter.minimum && parameter.default <= parameter.maximum;
  }
  if (parameter?.type === "choice" && Array.isArray(parameter.choices)) {
    return parameter.choices.includes(parameter.default);
  }
  return true;
}

/** Of whatever declares none of it. */
export const MANIFEST_DEFAULTS = {
  kind: null,
  parameters: {},
  golden: null,
  masks: [],
  headline: "lastByteMs",
  notSameCode: null,
  services: [],
  variation: null,
  page: null,
} as const;

/** What a case says of itself, without its functions. */
export function caseManifest(
  id: string,
  { handle, pins, ...declared }: CaseDeclaration<ParameterDeclarations>,
): CaseManifest {
  return { ...MANIFEST_DEFAULTS, ...declared, id, path: `/${id}` };
}

export type ServiceId = string;

/** Where services are, as "host:port", by id. */
export type ServiceAddresses = Readonly<Record<ServiceId, string>>;

/** By it whoever serves a target says where a service is: EVENBENCH_SERVICE_MEMCACHED. */
export function serviceVariable(id: ServiceId): string {
  return `EVENBENCH_SERVICE_${id.toUpperCase().replaceAll("-", "_")}`;
}
