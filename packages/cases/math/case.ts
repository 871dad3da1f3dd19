import { defineCase, wholeResponse } from "@evenbench/core";

// The work as it was published: a share of 100 %.
const INTEGER_STEPS = 10_000_000;
const SORTS = 100;
const SORT_LENGTH = 10_000;
const STRINGS = 1_000_000;
const PRIME_LIMIT = 100_000;

export default defineCase({
  title: "Integers and sorting",
  kind: "arithmetic",
  description:
    "1.5 million integer steps, 15 sorts of 10,000 numbers, a hash over 150,000 strings, and the primes below 15,000: 15 % of the published work (?share=100).",
  parameters: {
    share: {
      type: "integer",
      default: 15,
      minimum: 1,
      maximum: 100,
      description: "Percent of the published work.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 73,
    sha256: "bf9c65824ec11e20e84f8834527141715bd187e9fd5d7d2ca2ffbf3a688d3b7c",
  },
  scatter: 0.02,
  handle(_request, { share }) {
    const shareOf = (published: number) => Math.round((published * share) / 100);
    const result = {
      integers: integerSteps(shareOf(INTEGER_STEPS)),
      sorts: sortArrays(shareOf(SORTS), SORT_LENGTH),
      stringHash: hashStrings(shareOf(STRINGS)),
      primes: countPrimes(shareOf(PRIME_LIMIT)),
    };
    return wholeResponse(`${JSON.stringify(result)}\n`, "application/json");
  },
});

function integerSteps(steps: number): number {
  let result = 0;
  for (let i = 0; i < steps; i++) {
    result += ((i * 31) ^ (i << 3)) & 0xffffffff;
    result = (result * 1103515245 + 12345) & 0x7fffffff;
  }
  return result;
}

/** Returns how many arrays ended up in order, so that no sort can be left out. */
function sortArrays(count: number, length: number): number {
  let inOrder = 0;
  for (let index = 0; index < count; index++) {
    const numbers = Array.from({ length }, (_, k) => (k * 7919) % 10007);
    numbers.sort((a, b) => a - b);
    if (numbers.every((value, k) => k === 0 || (numbers[k - 1] as number) <= value)) {
      inOrder++;
    }
  }
  return inOrder;
}

function hashStrings(count: number): number {
  let hash = 0;
  for (let index = 0; index < count; index++) {
    const text = `benchmark-test-string-${index}`;
    for (let at = 0; at < text.length; at++) {
      hash = ((hash << 5) - hash + text.charCodeAt(at)) | 0;
    }
  }
  return hash;
}

function countPrimes(limit: number): number {
  let count = limit > 2 ? 1 : 0;
  for (let candidate = 3; candidate < limit; candidate += 2) {
    if (isOddPrime(candidate)) {
      count++;
    }
  }
  return count;
}

function isOddPrime(candidate: number): boolean {
  for (let divisor = 3; divisor * divisor <= candidate; divisor += 2) {
    if (candidate % divisor === 0) {
      return false;
    }
  }
  return true;
}
