import { CASE_FAILED, type CaseDefinition, problemResponse } from "@evenbench/core";
import type { IndexedCase } from "./identity.ts";

/** Makes cases answer with what their handlers threw. For developing alone: nothing that is measured has this. */
export function explaining(cases: readonly IndexedCase[]): readonly IndexedCase[] {
  return cases.map(({ load, ...indexed }) => ({
    ...indexed,
    load:
      load && (async () => ({ default: withExplainedErrors(indexed.manifest.id, (await load()).default) })),
  }));
}

function withExplainedErrors(caseId: string, definition: CaseDefinition): CaseDefinition {
  return {
    ...definition,
    async handle(...asked) {
      try {
        const response = await definition.handle(...asked);
        if (response instanceof Response) {
          return response;
        }
        throw new TypeError("The handler returned something that is no Response.");
      } catch (error) {
        // `dev` shows it from the log, with the frames at the lines of their sources.
        console.error(`evenbench: case "${caseId}" threw:`, error);
        return problemResponse(500, CASE_FAILED, `case "${caseId}" threw: ${error}`, { case: caseId });
      }
    },
  };
}
