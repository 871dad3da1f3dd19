import { z } from "zod";

/** Where a function stands. Line and column count from 0; -1 for V8's own nodes, such as "(idle)". */
const callFrame = z.object({
  functionName: z.string(),
  scriptId: z.string(),
  url: z.string(),
  lineNumber: z.int(),
  columnNumber: z.int(),
});

const node = z.looseObject({
  id: z.int(),
  callFrame,
  children: z.array(z.int()).optional(),
});

const cpuProfile = z.looseObject({
  nodes: z.array(node).min(1),
  startTime: z.number(),
  endTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});

export type CallFrame = z.infer<typeof callFrame>;
export type CpuProfile = z.infer<typeof cpuProfile>;

/**
 * Checks that something is a CPU profile that DevTools can open: every sample and every child names a
 * node.
 */
export function parseCpuProfile(value: unknown): CpuProfile {
  const parsed = cpuProfile.safeParse(value);
  if (!parsed.success) throw new TypeError(`No CPU profile: ${z.prettifyError(parsed.error)}`);
  const profile = parsed.data;
  const ids = new Set(profile.nodes.map(({ id }) => id));
  const named = [profile.samples, ...profile.nodes.map(({ children = [] }) => children)];
  const unknown = named.flat().find((id) => !ids.has(id));
  if (unknown !== undefined) throw new TypeError(`No CPU profile: it names a node ${unknown} that it lacks.`);
  if (profile.samples.length !== profile.timeDeltas.length) {
    throw new TypeError("No CPU profile: it has not one time for each sample.");
  }
  return profile;
}
