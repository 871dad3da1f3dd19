import { defineCase, wholeResponse } from "@evenbench/core";

const INTEGER_STEPS = 10_000_000;
const SORTS = 100;
const SORT_LENGTH = 10_000;
const STRINGS = 1_000_000;
const PRIME_LIMIT = 100_000;

export default defineCase({
  title: "Integers and sorting",
  kind: "arithmetic",
  description:
    "Ten million integer steps, a hundred sorts of 10,000 numbers, a hash over a million strings, and the primes below 100,000.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 74,
    sha256: "6425f25c19073a9cf059962edb5cc9029db80615ef48948262ea28c5cd1d957f",
  },
  scatter: 0.02,
  handle() {
    const result = {
      integers: integerSteps(INTEGER_STEPS),
      sorts: sortArrays(SORTS, SORT_LENGTH),
      stringHash: hashStrings(STRINGS),
      primes: countPrimes(PRIME_LIMIT),
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
