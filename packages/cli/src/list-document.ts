import { z } from "zod";

const target = z.object({ name: z.string(), app: z.string(), platform: z.string() });

/** What `list --json` prints, as far as others read it. Cases have all of their manifest there. */
export const listSchema = z.object({
  targets: z.array(target).readonly(),
  /** Those that are left out unless they are named. */
  off: z.array(target).readonly(),
  /** By app id. */
  cases: z.record(z.string(), z.array(z.object({ id: z.string() })).readonly()).readonly(),
});
export type ListDocument = z.infer<typeof listSchema>;
