export const COMPLEX_PAGE = {
  primeLimit: 100_000,
  fibonacciCount: 100,
  sectionCount: 50,
  primesPerSection: 100,
  itemsPerSection: 20,
  cellCount: 300,
  withGrowth: false,
};
export type PageSize = typeof COMPLEX_PAGE;

export const LARGE_PAGE: PageSize = {
  primeLimit: 500_000,
  fibonacciCount: 200,
  sectionCount: 150,
  primesPerSection: 200,
  itemsPerSection: 60,
  cellCount: 300,
  withGrowth: true,
};

export type PageData = ReturnType<typeof computePage>;
export type PageSection = ReturnType<typeof computeSection>;
export type PageItem = PageSection["items"][number];
export type PageCell = PageData["cells"][number];

/** Nothing is kept from one request to the next: this is the work that is measured. */
export function computePage(size: PageSize = COMPLEX_PAGE) {
  const primes = primesUpTo(size.primeLimit);
  const fibonacci = fibonacciNumbers(size.fibonacciCount);
  return {
    primeCount: primes.length,
    fibonacci,
    fibonacciAverage: fibonacci.reduce((sum, number) => sum + number, 0) / fibonacci.length,
    sections: Array.from({ length: size.sectionCount }, (_, index) => computeSection(index, size, primes)),
    cells: computeCells(size.cellCount),
    renderedAt: new Date().toISOString(),
  };
}

export function computeSection(index: number, size: PageSize, primes: readonly number[]) {
  const start = index * size.primesPerSection;
  return {
    index,
    primes: primes.slice(start, start + size.primesPerSection),
    items: Array.from({ length: size.itemsPerSection }, (_, item) =>
      computeItem(index, item, size.withGrowth),
    ),
  };
}

export function computeCells(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    n,
    factorial: factorial(Math.min(n, 20)).toExponential(2),
  }));
}

function computeItem(section: number, index: number, withGrowth: boolean) {
  const sum = section + index;
  return {
    index,
    root: Math.sqrt(section * 1000 + index).toFixed(4),
    description: `Entry ${index} of part ${section}: a line of plain text, written once for every platform`,
    code: (section * index * 12345).toString(36),
    wave: (Math.sin(section) * Math.cos(index)).toFixed(6),
    growth: withGrowth ? (sum ** 2 * Math.log(sum + 1)).toFixed(2) : null,
    timestamp: new Date().toISOString(),
  };
}

/** Primes up to and including `limit`, each found by trial division by numbers of the form 6k±1. */
export function primesUpTo(limit: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; candidate <= limit; candidate++) {
    if (isPrime(candidate)) {
      primes.push(candidate);
    }
  }
  return primes;
}

function isPrime(n: number): boolean {
  if (n <= 3) {
    return n > 1;
  }
  if (n % 2 === 0 || n % 3 === 0) {
    return false;
  }
  for (let divisor = 5; divisor * divisor <= n; divisor += 6) {
    if (n % divisor === 0 || n % (divisor + 2) === 0) {
      return false;
    }
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
  for (let factor = 2; factor <= n; factor++) {
    product *= factor;
  }
  return product;
}
