import { DictionaryColumn, NumberColumn } from "./columns.ts";
import type { Sample } from "./schema/sample.ts";

const NUMBERS = [
  "trial",
  "roundIndex",
  "position",
  "startedAtMs",
  "connectMs",
  "firstByteMs",
  "lastByteMs",
  "cpuMs",
  "minorFaults",
  "status",
  "bodyBytes",
  "served",
  "inFlight",
] as const satisfies readonly (keyof Sample)[];

type Numbers = { readonly [K in (typeof NUMBERS)[number]]: NumberColumn };

interface Columns extends Numbers {
  readonly caseId: DictionaryColumn<string>;
  readonly target: DictionaryColumn<string>;
  readonly phase: DictionaryColumn<Sample["phase"]>;
  readonly instanceId: DictionaryColumn<string | null>;
  readonly error: DictionaryColumn<Sample["error"]>;
  /** Made with the first sample that has it: most runs have none. */
  from: DictionaryColumn<Sample["from"]> | undefined;
}

/**
 * Samples in columns: about 150 bytes each, where objects would take several times that. So a run of a
 * million exchanges can be read, and reported case by case.
 */
export class SampleTable implements Iterable<Sample> {
  readonly #columns: Columns = {
    ...(Object.fromEntries(NUMBERS.map((name) => [name, new NumberColumn()])) as Numbers),
    caseId: new DictionaryColumn(),
    target: new DictionaryColumn(),
    phase: new DictionaryColumn(),
    instanceId: new DictionaryColumn(),
    error: new DictionaryColumn((error) => error && `${error.kind} ${error.detail}`),
    from: undefined,
  };
  readonly #rowsOfCase = new Map<string, NumberColumn>();
  #length = 0;

  static from(samples: Iterable<Sample>): SampleTable {
    const table = new SampleTable();
    for (const sample of samples) table.push(sample);
    return table;
  }

  get length(): number {
    return this.#length;
  }

  push(sample: Sample): void {
    const columns = this.#columns;
    for (const name of NUMBERS) columns[name].push(sample[name]);
    columns.caseId.push(sample.caseId);
    columns.target.push(sample.target);
    columns.phase.push(sample.phase);
    columns.instanceId.push(sample.instanceId);
    columns.error.push(sample.error);
    this.#pushFrom(sample.from);
    let rows = this.#rowsOfCase.get(sample.caseId);
    if (rows === undefined) {
      rows = new NumberColumn();
      this.#rowsOfCase.set(sample.caseId, rows);
    }
    rows.push(this.#length);
    this.#length += 1;
  }

  *[Symbol.iterator](): Iterator<Sample> {
    for (let row = 0; row < this.#length; row++) yield this.#at(row);
  }

  /**
   * The samples of one case, in the order in which they were written. Their fields are read, not copied: `{
   * ...sample }` has none.
   */
  *ofCase(caseId: string): Iterable<Sample> {
    const rows = this.#rowsOfCase.get(caseId) ?? new NumberColumn();
    for (let index = 0; index < rows.length; index++)
      yield new SampleRow(this.#columns, rows.at(index) ?? 0) as Sample;
  }

  #pushFrom(from: Sample["from"]): void {
    const columns = this.#columns;
    if (from === undefined && columns.from === undefined) return;
    if (columns.from === undefined) {
      columns.from = new DictionaryColumn((one) => one && JSON.stringify(one));
      for (let row = 0; row < this.#length; row++) columns.from.push(undefined);
    }
    columns.from.push(from);
  }

  #at(row: number): Sample {
    const one = new SampleRow(this.#columns, row);
    return {
      caseId: one.caseId,
      target: one.target,
      trial: one.trial,
      phase: one.phase,
      roundIndex: one.roundIndex,
      position: one.position,
      startedAtMs: one.startedAtMs,
      connectMs: one.connectMs,
      firstByteMs: one.firstByteMs,
      lastByteMs: one.lastByteMs,
      cpuMs: one.cpuMs,
      minorFaults: one.minorFaults,
      status: one.status,
      bodyBytes: one.bodyBytes,
      instanceId: one.instanceId,
      served: one.served,
      inFlight: one.inFlight,
      ...(one.from === undefined ? {} : { from: one.from }),
      error: one.error,
    };
  }
}

/**
 * A sample that reads each field from its column when it is asked for: a tenth of what an object with all of
 * them takes.
 */
class SampleRow implements Omit<Sample, "from"> {
  readonly #columns: Columns;
  readonly #row: number;

  constructor(columns: Columns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  get trial() {
    return this.#columns.trial.at(this.#row) ?? 0;
  }

  get roundIndex() {
    return this.#columns.roundIndex.at(this.#row) ?? 0;
  }

  get position() {
    return this.#columns.position.at(this.#row) ?? 0;
  }

  get startedAtMs() {
    return this.#columns.startedAtMs.at(this.#row) ?? 0;
  }

  get connectMs() {
    return this.#columns.connectMs.at(this.#row);
  }

  get firstByteMs() {
    return this.#columns.firstByteMs.at(this.#row);
  }

  get lastByteMs() {
    return this.#columns.lastByteMs.at(this.#row);
  }

  get cpuMs() {
    return this.#columns.cpuMs.at(this.#row);
  }

  get minorFaults() {
    return this.#columns.minorFaults.at(this.#row);
  }

  get status() {
    return this.#columns.status.at(this.#row);
  }

  get bodyBytes() {
    return this.#columns.bodyBytes.at(this.#row);
  }

  get served() {
    return this.#columns.served.at(this.#row);
  }

  get inFlight() {
    return this.#columns.inFlight.at(this.#row);
  }

  get caseId() {
    return this.#columns.caseId.at(this.#row);
  }

  get target() {
    return this.#columns.target.at(this.#row);
  }

  get phase() {
    return this.#columns.phase.at(this.#row);
  }

  get instanceId() {
    return this.#columns.instanceId.at(this.#row);
  }

  get error() {
    return this.#columns.error.at(this.#row);
  }

  get from() {
    return this.#columns.from?.at(this.#row);
  }
}
