/** Primes up to and including `limit`, each found by trial division by numbers of the form 6k±1. */
export function primesUpTo(limit: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; candidate <= limit; candidate++) if (isPrime(candidate)) primes.push(candidate);
  return primes;
}

function isPrime(n: number): boolean {
  if (n <= 3) return n > 1;
  if (n % 2 === 0 || n % 3 === 0) return false;
  for (let divisor = 5; divisor * divisor <= n; divisor += 6) {
    if (n % divisor === 0 || n % (divisor + 2) === 0) return false;
  }
  return true;
}

/** The first `count` Fibonacci numbers from F(0) = 0, as doubles: exact up to F(78). */
export function fibonacciNumbers(count: number): number[] {
  const numbers: number[] = [];
  let current = 0;
  let next = 1;
  for (let index = 0; index < count; index++) {
    numbers.push(current);
    [current, next] = [next, current + next];
  }
  return numbers;
}

/** n! for n >= 0, as a double: exact up to 22!. */
export function factorial(n: number): number {
  let product = 1;
  for (let factor = 2; factor <= n; factor++) product *= factor;
  return product;
}
