import { describeBounds, type ParameterDeclarations, type ParameterValues } from "./parameters.ts";
import type { PlatformId } from "./platform.ts";
import type { CaseManifest, Golden, Mask, Parameter, SentRequest } from "./schema.ts";

/** The facts about the target that a case's handler is given. */
export interface CaseContext {
  readonly platform: PlatformId;
  /** Addresses of the services that the case declares. Left out while the case's pins are asked for. */
  readonly services?: ServiceAddresses;
}

/** A workload. Its id is the name of its folder. */
export interface CaseDefinition<D extends ParameterDeclarations = ParameterDeclarations> {
  /** Name of the case for people: "React page". */
  readonly title: string;
  /** The kind of its work in one or two words, such as "string building": reports group cases by it. Default: none. */
  readonly kind?: string;
  /** Description of the case's work, in one sentence. */
  readonly description: string;
  /** Parameters that its query may set, by name. */
  readonly parameters: D;
  /** The case's request, where that has a body: it is asked by this method alone. Default: GET without a body. */
  readonly sends?: SentRequest;
  /** The response that all targets must give; null until the first verified run has printed the values to confirm. */
  readonly golden: Golden | null;
  /** Patterns for text that may differ between responses. Default: none. */
  readonly masks?: readonly Mask[];
  /** A sentence on why platforms run different code; reports print it. Default: the code is the same. */
  readonly notSameCode?: string;
  /**
   * Measured requests of an instance in one trial. Set it where responses of one instance vary more than instances do,
   * so that more of them pay. Default: as many as fill 2 to 5 seconds, at most 24.
   */
  readonly rounds?: number;
  /**
   * The usual standard deviation between instances, as a fraction (0.08 = 8 %). To find it, run the case alone with ten
   * trials (`npm run bench -- --case <id> --trials 10`), and take the standard deviation of the natural logarithms of a
   * target's median time in each trial. @default 0.04
   */
  readonly scatter?: number;
  /** Services that it talks to. Without one of them it answers 503, and a default run leaves it out. Default: none. */
  readonly services?: readonly ServiceId[];
  /** Gives versions and builds of what it renders with, as pins "<case>.<name>". Default: none. */
  pins?(context: CaseContext): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Answers one request. The same parameters always give the same body. */
  handle(
    request: Request,
    parameters: ParameterValues<D>,
    context: CaseContext,
  ): Response | Promise<Response>;
}

/** The argument of `defineCase`: a case, which need not say that it has no parameters. */
export interface CaseDeclaration<D extends ParameterDeclarations>
  extends Omit<CaseDefinition<D>, "parameters"> {
  /** Parameters of the case, by name. Default: it has none. */
  readonly parameters?: D;
}

/**
 * Makes the default export of `packages/cases/<id>/case.ts`.
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

/** Tells whether a default lies within its bounds; also true for a type that does not exist, which the build names. */
function isInBounds(parameter: Parameter): boolean {
  if (parameter?.type === "integer") {
    return parameter.default >= parameter.minimum && parameter.default <= parameter.maximum;
  }
  if (parameter?.type === "choice" && Array.isArray(parameter.choices)) {
    return parameter.choices.includes(parameter.default);
  }
  return true;
}

/** Default values of the optional fields of a case's manifest. */
export const MANIFEST_DEFAULTS = {
  kind: null,
  parameters: {},
  golden: null,
  masks: [],
  notSameCode: null,
  services: [],
  variation: null,
  page: null,
} as const;

/** Makes the manifest of a case: what it declares, without its functions. Its path is "/<id>". */
export function manifestOfCase(
  id: string,
  { handle, pins, ...declared }: CaseDeclaration<ParameterDeclarations>,
): CaseManifest {
  return { ...MANIFEST_DEFAULTS, ...declared, id, path: `/${id}` };
}

/** The name of a service that cases talk to: "memcached". */
export type ServiceId = string;

/** Addresses of services, as "host:port", by the service's id. */
export type ServiceAddresses = Readonly<Record<ServiceId, string>>;

/** Names the environment variable with a service's address, such as EVENBENCH_SERVICE_MEMCACHED=127.0.0.1:11211. */
export function serviceVariable(id: ServiceId): string {
  return `EVENBENCH_SERVICE_${id.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Names a case in a sentence: `case "trig"`, or of servers of the user's own what they are asked.
 *
 * @param first its first word, such as "Case".
 */
export function caseInWords(
  { id, title, request }: Pick<CaseManifest, "id" | "title" | "request">,
  first: "case" | "Case" = "case",
): string {
  return request === undefined ? `${first} "${id}"` : title;
}
