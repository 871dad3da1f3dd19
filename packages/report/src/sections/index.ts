import { arrival, parts } from "./arrival.ts";
import { coldStarts, compute, cpu } from "./costs.ts";
import { kinds } from "./kinds.ts";
import { providerCpu } from "./provider-cpu.ts";
import type { Section } from "./section.ts";
import { distribution, instances, numbers } from "./times.ts";
import { seenByVantages } from "./vantages.ts";
import { warmUp } from "./warm-up.ts";

/** In the order of the page. */
export const SECTIONS: readonly Section[] = [
  distribution,
  instances,
  kinds,
  arrival,
  parts,
  cpu,
  compute,
  warmUp,
  providerCpu,
  coldStarts,
  numbers,
  seenByVantages,
];
