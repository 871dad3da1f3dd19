import { defineCase, wholeResponse } from "@evenbench/core";

/** All arguments as published: πi for each i below this number. */
const PUBLISHED_STEPS = 1_000_000;
/** Scales the argument of the "small" range, which then stays below pi / 10. */
const SMALL = 1e-7;

export default defineCase({
  title: "Sine and cosine",
  kind: "arithmetic",
  description:
    "Adds up sin(πi)·cos(πi) for every third of the published million arguments (?every=1). Their size decides how fast a runtime's library is: the parameter range chooses between two.",
  parameters: {
    every: {
      type: "integer",
      default: 3,
      minimum: 1,
      maximum: 1001,
      description: "Every how many-th argument: 1 as published. Odd, or all lie in one quadrant.",
    },
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
    bytes: 47,
    sha256: "05b0a65416cb6f3aae930e0fe559790a98f2b4d0dc6d9e8b147aae053682ae5e",
  },
  scatter: 0.01,
  handle(_request, { every, range }) {
    const scale = range === "small" ? Math.PI * SMALL : Math.PI;
    const sum = sumOfProducts(every, scale);
    return wholeResponse(`${JSON.stringify({ every, range, sum: rounded(sum) })}\n`, "application/json");
  },
});

function sumOfProducts(every: number, scale: number): number {
  let sum = 0;
  for (let i = 0; i < PUBLISHED_STEPS; i += every) {
    sum += Math.sin(scale * i) * Math.cos(scale * i);
  }
  return sum;
}

/** Runtimes build V8 with different trigonometry, which differs in the last bits: 4 places are equal everywhere. */
function rounded(sum: number): string {
  return (Math.abs(sum) < 0.00005 ? 0 : sum).toFixed(4);
}
