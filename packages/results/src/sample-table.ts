import type { Sample } from "./schema/sample.ts";

/** Binary logarithm of the number of rows that a column grows by: a power of two, by which places are found fast. */
const CHUNK_BITS = 12;
/** Number of rows that a column grows by. What a larger array would have room for is memory of no use. */
const CHUNK_ROWS = 2 ** CHUNK_BITS;

const SMALL_NUMBERS = 2 ** 16;

/** Tells whether a number is a whole one from 0 to 65,535, as most rounds and positions are. */
function isSmall(number: number): boolean {
  return number >= 0 && number < SMALL_NUMBERS && Number.isInteger(number) && !Object.is(number, -0);
}

interface Column {
  push(value: unknown): void;
  at(row: number): unknown;
}

/** A column of numbers that grows. It keeps null as NaN, which no JSON holds. */
class NumberColumn implements Column {
  /** The rows in parts of `CHUNK_ROWS`: two bytes a row where all numbers are small, else eight; equal ones once. */
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
class RepeatedColumn implements Column {
  readonly #indexes = new NumberColumn();
  readonly #distinct: unknown[] = [];
  readonly #indexByKey = new Map<unknown, number>();

  push(value: unknown): void {
    const key = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
    let index = this.#indexByKey.get(key);
    if (index === undefined) {
      index = this.#distinct.length;
      this.#distinct.push(value);
      this.#indexByKey.set(key, index);
    }
    this.#indexes.push(index);
  }

  at(row: number): unknown {
    return this.#distinct[this.#indexes.known(row)];
  }
}

/** The column that each field is kept in, and a function that reads it: reading by a name takes thrice as long. */
const COLUMN_OF: {
  readonly [Field in keyof Required<Sample>]: readonly [new () => Column, (sample: Sample) => Sample[Field]];
} = {
  caseId: [RepeatedColumn, ({ caseId }) => caseId],
  target: [RepeatedColumn, ({ target }) => target],
  trial: [NumberColumn, ({ trial }) => trial],
  phase: [RepeatedColumn, ({ phase }) => phase],
  roundIndex: [NumberColumn, ({ roundIndex }) => roundIndex],
  position: [NumberColumn, ({ position }) => position],
  startedAtMs: [NumberColumn, ({ startedAtMs }) => startedAtMs],
  connectMs: [NumberColumn, ({ connectMs }) => connectMs],
  firstByteMs: [NumberColumn, ({ firstByteMs }) => firstByteMs],
  lastByteMs: [NumberColumn, ({ lastByteMs }) => lastByteMs],
  status: [NumberColumn, ({ status }) => status],
  bodyBytes: [NumberColumn, ({ bodyBytes }) => bodyBytes],
  instanceId: [RepeatedColumn, ({ instanceId }) => instanceId],
  served: [NumberColumn, ({ served }) => served],
  inFlight: [NumberColumn, ({ inFlight }) => inFlight],
  resent: [RepeatedColumn, ({ resent }) => resent],
  cacheSaid: [RepeatedColumn, ({ cacheSaid }) => cacheSaid],
  cpuMs: [NumberColumn, ({ cpuMs }) => cpuMs],
  minorFaults: [NumberColumn, ({ minorFaults }) => minorFaults],
  from: [RepeatedColumn, ({ from }) => from],
  error: [RepeatedColumn, ({ error }) => error],
};
const FIELDS = Object.keys(COLUMN_OF) as readonly (keyof Sample)[];
const COLUMNS = Object.values(COLUMN_OF);
const READERS: readonly ((sample: Sample) => unknown)[] = COLUMNS.map(([, read]) => read);

/** The samples of one case, in columns in the order of `FIELDS`. */
class CaseColumns {
  readonly all: readonly Column[] = COLUMNS.map(([FieldColumn]) => new FieldColumn());
  length = 0;

  push(sample: Sample): void {
    for (let index = 0; index < READERS.length; index++) {
      this.all[index]?.push(READERS[index]?.(sample));
    }
    this.length += 1;
  }
}

/** A sample whose fields are read from their columns when they are asked for. */
class SampleRow {
  readonly #columns: readonly Column[];
  readonly #row: number;

  static {
    for (const [index, field] of FIELDS.entries()) {
      Object.defineProperty(SampleRow.prototype, field, {
        get(this: SampleRow) {
          return this.#columns[index]?.at(this.#row);
        },
      });
    }
  }

  constructor(columns: readonly Column[], row: number) {
    this.#columns = columns;
    this.#row = row;
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
      columns = new CaseColumns();
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
    const { all, length } = columns;
    return Array.from({ length }, (_, row) => new SampleRow(all, row) as unknown as Sample);
  }
}
