import { coldStarts, compute, cpu, parts, providerCpu } from "./costs.ts";
import { kinds } from "./kinds.ts";
import type { Section } from "./section.ts";
import { distribution, instances, numbers, seenByVantages } from "./times.ts";
import { warmUp } from "./warm-up.ts";

/** In the order of the page. */
export const SECTIONS: readonly Section[] = [
  distribution,
  instances,
  kinds,
  parts,
  cpu,
  compute,
  warmUp,
  providerCpu,
  coldStarts,
  numbers,
  seenByVantages,
];
