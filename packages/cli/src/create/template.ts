/**
 * A kind of folder that a person can add. `templates/<kind>/files/` holds a working one with the id
 * "template-<kind>", which is type-checked, linted and tested where it lies.
 */
export interface Template {
  /** The folder that takes the new one, relative to the repository's root, with forward slashes. */
  readonly parent: string;
  /** Why an id cannot be given, or null. */
  whyNoId(id: string): string | null;
  /** Commands to go on with, in order. */
  next(id: string): readonly string[];
}

/** Declares a template: `templates/<kind>/template.ts` has it as its default export. */
export function defineTemplate(template: Template): Template {
  return template;
}
