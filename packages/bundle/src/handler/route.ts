import {
  type CaseContext,
  type CaseDefinition,
  type ParameterDeclarations,
  type ParameterValues,
  type PlatformId,
  serviceVariable,
} from "@evenbench/core";
import type { IndexedCase } from "./case-index.ts";

export type Values = ParameterValues<ParameterDeclarations>;

/** A case as it is served. */
export interface Route {
  readonly id: string;
  readonly parameters: ParameterDeclarations;
  readonly load: NonNullable<IndexedCase["load"]>;
  readonly defaults: Values;
  readonly context: CaseContext;
  /** Services that have no address here: then the case cannot answer. */
  readonly missing: readonly string[];
  /** undefined until a request has loaded the module. */
  definition: CaseDefinition | undefined;
}

/** The route of a case by its path; none where something else answers it. */
export function newRoute(
  { manifest, load }: IndexedCase,
  platform: PlatformId,
): [[path: string, route: Route]] | null {
  if (load === null) return null;
  const { id, path, parameters } = manifest;
  const addresses = manifest.services.map((service) => [service, process.env[serviceVariable(service)]]);
  const missing = addresses.filter(([, address]) => address === undefined).map(([service]) => `${service}`);
  const context = { platform, services: Object.fromEntries(addresses) };
  const defaults = Object.entries(parameters).map(([name, { default: value }]) => [name, value]);
  const values = Object.freeze(Object.fromEntries(defaults)) as Values;
  return [[path, { id, parameters, load, defaults: values, context, missing, definition: undefined }]];
}
