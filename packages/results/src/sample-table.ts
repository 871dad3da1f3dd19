import type { Sample } from "./schema/sample.ts";

/** Binary logarithm of the number of rows that a column grows by: a power of two, by which places are found fast. */
const CHUNK_BITS = 12;
/** Number of rows that a column grows by. What a larger array would have room for is memory of no use. */
const CHUNK_ROWS = 2 ** CHUNK_BITS;

/** Number of values that two bytes hold. */
const SMALL_NUMBERS = 2 ** 16;

/** Tells whether a number is a whole one from 0 to 65,535, as most rounds and positions are. */
function isSmall(number: number): boolean {
  return number >= 0 && number < SMALL_NUMBERS && Number.isInteger(number) && !Object.is(number, -0);
}

/** A column of numbers that grows. It keeps null as NaN, which no JSON holds. */
class NumberColumn {
  /**
   * The rows in parts of `CHUNK_ROWS`, in two bytes a row where all numbers of a part are small, and in eight
   * elsewhere. Of a part whose rows are all equal, as those of a status, the first alone.
   */
  readonly #chunks: (Float64Array | Uint16Array)[] = [];
  #length = 0;

  push(value: number | null): void {
    const number = value ?? Number.NaN;
    const place = this.#length & (CHUNK_ROWS - 1);
    const index = this.#length >>> CHUNK_BITS;
    this.#length += 1;
    if (place === 0) {
      this.#chunks.push(new Float64Array([number]));
      return;
    }
    let chunk = this.#chunks[index] as Float64Array | Uint16Array;
    if (chunk.length === 1) {
      const first = chunk[0] as number;
      if (Object.is(first, number)) {
        return;
      }
      const isSmallChunk = isSmall(first) && isSmall(number);
      chunk = isSmallChunk ? new Uint16Array(CHUNK_ROWS) : new Float64Array(CHUNK_ROWS);
      chunk.fill(first, 0, place);
      this.#chunks[index] = chunk;
    } else if (chunk instanceof Uint16Array && !isSmall(number)) {
      chunk = new Float64Array(chunk);
      this.#chunks[index] = chunk;
    }
    chunk[place] = number;
  }

  /** The number in a row that has one. */
  known(row: number): number {
    const chunk = this.#chunks[row >>> CHUNK_BITS] as Float64Array | Uint16Array;
    return chunk[chunk.length === 1 ? 0 : row & (CHUNK_ROWS - 1)] as number;
  }

  /** The number in a row; null where it is not known. */
  at(row: number): number | null {
    const value = this.known(row);
    return Number.isNaN(value) ? null : value;
  }
}

/** A column of values few of which differ: it keeps each once, and a number in each row. */
class RepeatedColumn<T> {
  readonly #indexes = new NumberColumn();
  readonly #distinct: T[] = [];
  readonly #indexByKey = new Map<string | T, number>();

  /** @param key tells which values are one; by default the value itself. */
  push(value: T, key: string | T = value): void {
    let index = this.#indexByKey.get(key);
    if (index === undefined) {
      index = this.#distinct.length;
      this.#distinct.push(value);
      this.#indexByKey.set(key, index);
    }
    this.#indexes.push(index);
  }

  at(row: number): T {
    return this.#distinct[this.#indexes.known(row)] as T;
  }
}

/** The columns of the samples of one case. */
class CaseColumns {
  readonly caseId: string;
  readonly target = new RepeatedColumn<string>();
  readonly trial = new NumberColumn();
  readonly phase = new RepeatedColumn<Sample["phase"]>();
  readonly roundIndex = new NumberColumn();
  readonly position = new NumberColumn();
  readonly startedAtMs = new NumberColumn();
  readonly connectMs = new NumberColumn();
  readonly firstByteMs = new NumberColumn();
  readonly lastByteMs = new NumberColumn();
  readonly status = new NumberColumn();
  readonly bodyBytes = new NumberColumn();
  readonly instanceId = new RepeatedColumn<string | null>();
  readonly served = new NumberColumn();
  readonly inFlight = new NumberColumn();
  readonly cpuMs = new NumberColumn();
  readonly minorFaults = new NumberColumn();
  readonly cacheSaid = new RepeatedColumn<Sample["cacheSaid"]>();
  readonly from = new RepeatedColumn<Sample["from"]>();
  readonly error = new RepeatedColumn<Sample["error"]>();
  /** The rows of requests that were sent twice: hardly any. */
  readonly resent = new Set<number>();
  #length = 0;

  constructor(caseId: string) {
    this.caseId = caseId;
  }

  get length(): number {
    return this.#length;
  }

  push(sample: Sample): void {
    const { from, error } = sample;
    this.target.push(sample.target);
    this.trial.push(sample.trial);
    this.phase.push(sample.phase);
    this.roundIndex.push(sample.roundIndex);
    this.position.push(sample.position);
    this.startedAtMs.push(sample.startedAtMs);
    this.connectMs.push(sample.connectMs);
    this.firstByteMs.push(sample.firstByteMs);
    this.lastByteMs.push(sample.lastByteMs);
    this.status.push(sample.status);
    this.bodyBytes.push(sample.bodyBytes);
    this.instanceId.push(sample.instanceId);
    this.served.push(sample.served);
    this.inFlight.push(sample.inFlight);
    this.cpuMs.push(sample.cpuMs);
    this.minorFaults.push(sample.minorFaults);
    this.cacheSaid.push(sample.cacheSaid);
    this.from.push(from, from && JSON.stringify(from));
    this.error.push(error, error && `${error.kind} ${error.detail}`);
    if (sample.resent === true) {
      this.resent.add(this.#length);
    }
    this.#length += 1;
  }
}

/** A sample whose fields are read from their columns when they are asked for. */
class SampleRow implements Sample {
  readonly #columns: CaseColumns;
  readonly #row: number;

  constructor(columns: CaseColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  get caseId(): string {
    return this.#columns.caseId;
  }

  get target(): string {
    return this.#columns.target.at(this.#row);
  }

  get trial(): number {
    return this.#columns.trial.known(this.#row);
  }

  get phase(): Sample["phase"] {
    return this.#columns.phase.at(this.#row);
  }

  get roundIndex(): number {
    return this.#columns.roundIndex.known(this.#row);
  }

  get position(): number {
    return this.#columns.position.known(this.#row);
  }

  get startedAtMs(): number {
    return this.#columns.startedAtMs.known(this.#row);
  }

  get connectMs(): number | null {
    return this.#columns.connectMs.at(this.#row);
  }

  get firstByteMs(): number | null {
    return this.#columns.firstByteMs.at(this.#row);
  }

  get lastByteMs(): number | null {
    return this.#columns.lastByteMs.at(this.#row);
  }

  get status(): number | null {
    return this.#columns.status.at(this.#row);
  }

  get bodyBytes(): number | null {
    return this.#columns.bodyBytes.at(this.#row);
  }

  get instanceId(): string | null {
    return this.#columns.instanceId.at(this.#row);
  }

  get served(): number | null {
    return this.#columns.served.at(this.#row);
  }

  get inFlight(): number | null {
    return this.#columns.inFlight.at(this.#row);
  }

  get resent(): true | undefined {
    return this.#columns.resent.has(this.#row) ? true : undefined;
  }

  get cacheSaid(): Sample["cacheSaid"] {
    return this.#columns.cacheSaid.at(this.#row);
  }

  get cpuMs(): number | null {
    return this.#columns.cpuMs.at(this.#row);
  }

  get minorFaults(): number | null {
    return this.#columns.minorFaults.at(this.#row);
  }

  get from(): Sample["from"] {
    return this.#columns.from.at(this.#row);
  }

  get error(): Sample["error"] {
    return this.#columns.error.at(this.#row);
  }
}

/**
 * The samples of a run, case by case, in columns of numbers: for each field that differs from row to row 8 bytes a
 * sample, or 2 where its numbers are small.
 */
export class SampleTable {
  readonly #cases = new Map<string, CaseColumns>();

  /** Makes a table of samples that are there as objects. */
  static from(samples: Iterable<Sample>): SampleTable {
    const table = new SampleTable();
    for (const sample of samples) {
      table.push(sample);
    }
    return table;
  }

  /** Adds a sample behind those of its case. It is copied, and need not be kept. */
  push(sample: Sample): void {
    const { caseId } = sample;
    let columns = this.#cases.get(caseId);
    if (columns === undefined) {
      columns = new CaseColumns(caseId);
      this.#cases.set(caseId, columns);
    }
    columns.push(sample);
  }

  /**
   * Takes the samples of one case out of the table, in the order in which they came; none where it has none. Their
   * memory is free once nobody needs them any more. Each is a view of its row: its fields can be read, but
   * `{ ...sample }` has none of them.
   */
  takeCase(caseId: string): readonly Sample[] {
    const columns = this.#cases.get(caseId);
    if (columns === undefined) {
      return [];
    }
    this.#cases.delete(caseId);
    return Array.from({ length: columns.length }, (_, row) => new SampleRow(columns, row));
  }
}
