import type { Side } from "../src/define.ts";

/** A side of the case "payload" that costs next to nothing. */
export const small = (name: string, target: string, more: Partial<Side> = {}): Side => ({
  name,
  target,
  parameters: { bytes: 2000 },
  ...more,
});
