/** Numbers in a typed array that grows; null is kept as NaN, which no JSON holds. */
export class NumberColumn {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number | null): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length] = value ?? Number.NaN;
    this.#length += 1;
  }

  at(index: number): number | null {
    const value = this.#values[index] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }
}

/** Values of which few are distinct: each distinct one is kept once, by its key. */
export class DictionaryColumn<T> {
  readonly #codes = new NumberColumn();
  readonly #distinct: T[] = [];
  readonly #codeOf = new Map<string | T, number>();
  readonly #keyOf: (value: T) => string | T;

  constructor(keyOf: (value: T) => string | T = (value) => value) {
    this.#keyOf = keyOf;
  }

  push(value: T): void {
    const key = this.#keyOf(value);
    let code = this.#codeOf.get(key);
    if (code === undefined) {
      code = this.#distinct.push(value) - 1;
      this.#codeOf.set(key, code);
    }
    this.#codes.push(code);
  }

  at(index: number): T {
    return this.#distinct[this.#codes.at(index) ?? 0] as T;
  }
}
