import { coldStarts, compute, cpu, kinds, parts, providerCpu } from "./costs.ts";
import type { Section } from "./section.ts";
import { cacheAnswers, distribution, instances, numbers, warmUp } from "./times.ts";

/** The sections of a case's report, in their order. */
export const SECTIONS: readonly Section[] = [
  cacheAnswers,
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
];
