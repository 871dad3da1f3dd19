import { targetKinds } from "./kinds.ts";
import { drawNormal, type Random, seededRandom } from "./random.ts";
import { seriesOf } from "./simulation-kinds.ts";

/** Logarithms of times that lie around one level, by the name of their distribution. */
export const ONE_MODE: Readonly<Record<string, (random: Random) => number>> = {
  "log-normal, 40 %": (random) => 0.4 * drawNormal(random),
  "uniform logarithms, 1 to 4.5 times": (random) => 1.5 * random(),
  "Student's t with 3 degrees of freedom, 40 %": (random) => {
    const square = () => drawNormal(random) ** 2;
    return (0.4 * drawNormal(random)) / Math.sqrt((square() + square() + square()) / 3);
  },
  "a least time and an exponential one as long": (random) => Math.log(1 + exponential(random)),
  "Pareto, index 1.7": (random) => 0.6 * exponential(random),
  "3 %, and a tail of 30 % in 30 of 100": (random) =>
    0.03 * drawNormal(random) + (random() < 0.3 ? Math.abs(0.3 * drawNormal(random)) : 0),
};

/**
 * How often such times are said to be of two kinds.
 *
 * @param of what they are: so many instances with one exchange each, or so many exchanges of one instance.
 */
export function saidOfOneMode(
  draw: (random: Random) => number,
  of: "instances" | "requests",
  count: number,
  runs: number,
  seed: number,
): number {
  const random = seededRandom(seed);
  let said = 0;
  for (let run = 0; run < runs; run++) {
    const times = Float64Array.from({ length: count }, () => 20 * Math.exp(draw(random)));
    const instances = of === "requests" ? [times] : Array.from(times, (ms) => Float64Array.of(ms));
    const { ofInstances, ofExchanges } = targetKinds("target", "lastByteMs", seriesOf(instances));
    if ((of === "instances" ? ofInstances : ofExchanges) !== null) said += 1;
  }
  return said / runs;
}

function exponential(random: Random): number {
  return -Math.log(1 - random());
}
