import { defineCase, wholeResponse } from "@evenbench/core";

/** Number of steps as published. Fewer steps are as far apart as it takes to reach the same arguments. */
const PUBLISHED_STEPS = 1_000_000;
/** Scales the argument of the "small" range, which then stays below pi / 10. */
const SMALL = 1e-7;

export default defineCase({
  title: "Sine and cosine",
  kind: "arithmetic",
  description:
    "Adds up sin(πi)·cos(πi) for half of the published million arguments (?n=1000000). Their size decides how fast a runtime's library is: the parameter range chooses between two.",
  parameters: {
    n: { type: "integer", default: 500_000, minimum: 1, maximum: 20_000_000, description: "Steps." },
    range: {
      type: "choice",
      default: "published",
      choices: ["published", "small"],
      description: "The argument: πi as published, or πi·1e-7.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 48,
    sha256: "8f92b340fd40600e867cdbf04f8dfe093b1079960d2caf2857a9596e2db2dac4",
  },
  scatter: 0.01,
  handle(_request, { n, range }) {
    const scale = range === "small" ? Math.PI * SMALL : Math.PI;
    const sum = sumOfProducts(n, scale * (PUBLISHED_STEPS / n));
    return wholeResponse(`${JSON.stringify({ n, range, sum: rounded(sum) })}\n`, "application/json");
  },
});

function sumOfProducts(n: number, scale: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += Math.sin(scale * i) * Math.cos(scale * i);
  }
  return sum;
}

/** Runtimes build V8 with different trigonometry, which differs in the last bits: 4 places are equal everywhere. */
function rounded(sum: number): string {
  return (Math.abs(sum) < 0.00005 ? 0 : sum).toFixed(4);
}
