import { type CaseDefinition, problemResponse } from "@evenbench/core";
import type { IndexedCase } from "./identity.ts";

const FRAMES = 5;

/** For developing alone: whoever asks is told what a handler threw. Nothing that is measured has this. */
export function explaining(cases: readonly IndexedCase[]): readonly IndexedCase[] {
  return cases.map(({ load, ...indexed }) => ({
    ...indexed,
    load: load && (async () => ({ default: explained(indexed.manifest.id, (await load()).default) })),
  }));
}

function explained(caseId: string, definition: CaseDefinition): CaseDefinition {
  return {
    ...definition,
    async handle(...asked) {
      try {
        const response = await definition.handle(...asked);
        if (response instanceof Response) return response;
        throw new TypeError("The handler returned something that is no Response.");
      } catch (error) {
        const what = `case "${caseId}" threw: ${error}`;
        const frames = String((error as Error | null)?.stack).match(/^\s+at .*/gm) ?? [];
        const stack = frames.slice(0, FRAMES);
        // From the log `dev` tells it.
        console.error([`evenbench: ${what}`, ...stack].join("\n"));
        const first = { case: caseId, stack: stack.map((frame) => frame.trim()) };
        return problemResponse(500, "The case failed", what, first);
      }
    },
  };
}
