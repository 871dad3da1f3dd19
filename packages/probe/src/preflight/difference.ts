import { type CaseManifest, maskBody } from "@evenbench/core";
import type { Answers } from "./answers.ts";
import { quote } from "./quote.ts";

/** Bytes shown before and after the place where bodies part. */
const BEFORE = 12;
const AFTER = 24;

/** Where masked bodies part, and what each target sends there, in a sentence; null where all are equal. */
export function firstDifference(manifest: CaseManifest, answers: readonly Answers[]): string | null {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => ({ target, bytes: maskBody(body.toString("latin1"), manifest) })),
  );
  const [one, ...others] = bodies.map(({ bytes }) => bytes);
  const offsets = others.map((other) => whereTheyPart(one ?? "", other)).filter((at) => at !== null);
  if (offsets.length === 0) return null;
  const offset = Math.min(...offsets);
  const senders = new Map<string, Set<string>>();
  for (const { target, bytes } of bodies) {
    const excerpt = quote(Buffer.from(bytes.slice(Math.max(0, offset - BEFORE), offset + AFTER), "latin1"));
    senders.set(excerpt, (senders.get(excerpt) ?? new Set()).add(target));
  }
  const shown = [...senders].map(([excerpt, targets]) => `${excerpt} from ${[...targets].join(", ")}`);
  return `They part at byte ${offset} of the masked body: ${shown.join("; ")}.`;
}

function whereTheyPart(one: string, other: string): number | null {
  if (one === other) return null;
  let offset = 0;
  while (one[offset] === other[offset]) offset++;
  return offset;
}
