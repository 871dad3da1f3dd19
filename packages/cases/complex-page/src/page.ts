/** How large a page is. */
export interface PageSize {
  /** All primes up to this number are computed. */
  readonly primeLimit: number;
  readonly fibonacciCount: number;
  readonly sectionCount: number;
  /** Number of primes that each section shows. */
  readonly primesPerSection: number;
  readonly itemsPerSection: number;
  readonly cellCount: number;
  /** True where items have a growth. */
  readonly withGrowth: boolean;
}

/** The complex page, of about 19,000 elements. */
export const COMPLEX_PAGE: PageSize = {
  primeLimit: 100_000,
  fibonacciCount: 100,
  sectionCount: 50,
  primesPerSection: 100,
  itemsPerSection: 20,
  cellCount: 300,
  withGrowth: false,
};

/** A quarter of the complex page, for a framework that takes a third of a second for all of it. */
export const SHORT_PAGE: PageSize = { ...COMPLEX_PAGE, sectionCount: 12 };

/** A page with about nine times the items. */
export const LARGE_PAGE: PageSize = {
  primeLimit: 500_000,
  fibonacciCount: 200,
  sectionCount: 150,
  primesPerSection: 200,
  itemsPerSection: 60,
  cellCount: 300,
  withGrowth: true,
};

/** An entry of a section. Numbers are text, as the page shows them. */
export interface PageItem {
  readonly index: number;
  readonly root: string;
  readonly description: string;
  readonly code: string;
  readonly wave: string;
  /** null where the page shows none. */
  readonly growth: string | null;
  /** The time of its computation (ISO 8601). */
  readonly timestamp: string;
}

/** A part of the page. */
export interface PageSection {
  readonly index: number;
  readonly primes: readonly number[];
  readonly items: readonly PageItem[];
}

/** A cell of the table of factorials. */
export interface PageCell {
  readonly n: number;
  readonly factorial: string;
}

/** All that the page shows. */
export interface PageData {
  readonly primeCount: number;
  readonly fibonacci: readonly number[];
  readonly fibonacciAverage: number;
  readonly sections: readonly PageSection[];
  readonly cells: readonly PageCell[];
  /** The time of its computation (ISO 8601). */
  readonly renderedAt: string;
}

/** Computes the page. Nothing is kept from one request to the next: this is the work that is measured. */
export function computePage(size: PageSize = COMPLEX_PAGE): PageData {
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

/** Computes one section. @param primes all primes of the page. */
export function computeSection(index: number, size: PageSize, primes: readonly number[]): PageSection {
  const start = index * size.primesPerSection;
  return {
    index,
    primes: primes.slice(start, start + size.primesPerSection),
    items: Array.from({ length: size.itemsPerSection }, (_, item) =>
      computeItem(index, item, size.withGrowth),
    ),
  };
}

/** Computes the table of factorials. */
export function computeCells(count: number): PageCell[] {
  return Array.from({ length: count }, (_, n) => ({
    n,
    factorial: factorial(Math.min(n, 20)).toExponential(2),
  }));
}

function computeItem(section: number, index: number, withGrowth: boolean): PageItem {
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

/** Finds the primes up to and including `limit`, each found by trial division by numbers of the form 6k±1. */
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

/** Computes the first `count` Fibonacci numbers from F(0) = 0, as doubles: exact up to F(78). */
export function fibonacciNumbers(count: number): number[] {
  const numbers: number[] = [];
  let current = 0;
  let next = 1;
  for (let index = 0; index < count; index++) {
    numbers.push(current);
    const sum = current + next;
    current = next;
    next = sum;
  }
  return numbers;
}

/** Computes n! for n >= 0, as a double: exact up to 22!. */
export function factorial(n: number): number {
  let product = 1;
  for (let factor = 2; factor <= n; factor++) {
    product *= factor;
  }
  return product;
}
