import type { CaseDefinition } from "@evenbench/core";

/**
 * Says what keeps a module from being a case, or null. Checks the shape only: types did the rest when it was
 * written, unless it was written without them.
 */
export function whyNoCase(definition: unknown): string | null {
  if (typeof definition !== "object" || definition === null) {
    return "it has no default export made by defineCase({...})";
  }
  const { title, kind, description, parameters, golden, headline, handle } =
    definition as Partial<CaseDefinition>;
  if (typeof title !== "string" || typeof description !== "string") {
    return "its default export has no title and description";
  }
  if (kind !== undefined && typeof kind !== "string") {
    return 'its kind is no text; write a word or two, such as "JSON", or leave it out';
  }
  if (typeof parameters !== "object" || parameters === null) {
    return "its default export has no parameters; write {} for none";
  }
  if (typeof handle !== "function") return "its default export has no handle(request, parameters)";
  if (golden === undefined) {
    return "its default export has no golden values; write null until the first run has printed them";
  }
  if (headline !== "firstByteMs" && headline !== "lastByteMs") {
    return 'its headline is neither "firstByteMs" nor "lastByteMs"';
  }
  return null;
}
