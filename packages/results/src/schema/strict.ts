import { z } from "zod";

export const count = z.int().nonnegative();
/** Thirty years: no run has a longer time, and what is computed from times within stays a number. */
const MOST_MS = 1e12;
export const milliseconds = z.number().nonnegative().max(MOST_MS);
/** What passes between a request and a byte of its answer; a nanosecond is less than any clock here tells apart. */
export const passed = z.number().min(1e-6).max(MOST_MS);
export const texts = z.array(z.string()).readonly();

/** An object with these fields and no others, which nobody changes. */
export function strict<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodReadonly<z.ZodObject<Shape, z.core.$strict>> {
  return z.strictObject(shape).readonly();
}

export const interval = strict({ estimate: z.number(), low: z.number(), high: z.number() });
