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

/**
 * Samples in columns: about 130 bytes each, where objects would take several times that. A sample is made again
 * as an object only when it is asked for, so a run of a million exchanges can be read and reported case by case.
 */
export class SampleTable implements Iterable<Sample> {
  readonly #numbers = Object.fromEntries(NUMBERS.map((name) => [name, new NumberColumn()])) as Numbers;
  readonly #caseId = new DictionaryColumn<string>();
  readonly #target = new DictionaryColumn<string>();
  readonly #phase = new DictionaryColumn<Sample["phase"]>();
  readonly #instanceId = new DictionaryColumn<string | null>();
  readonly #error = new DictionaryColumn<Sample["error"]>(
    (error) => error && `${error.kind} ${error.detail}`,
  );
  /** Made with the first sample that has it: most runs have none. */
  #from: DictionaryColumn<Sample["from"]> | undefined;
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
    for (const name of NUMBERS) this.#numbers[name].push(sample[name]);
    this.#caseId.push(sample.caseId);
    this.#target.push(sample.target);
    this.#phase.push(sample.phase);
    this.#instanceId.push(sample.instanceId);
    this.#error.push(sample.error);
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

  /** The samples of one case, in the order in which they were written. */
  *ofCase(caseId: string): Iterable<Sample> {
    const rows = this.#rowsOfCase.get(caseId) ?? new NumberColumn();
    for (let index = 0; index < rows.length; index++) yield this.#at(rows.at(index) ?? 0);
  }

  #pushFrom(from: Sample["from"]): void {
    if (from === undefined && this.#from === undefined) return;
    if (this.#from === undefined) {
      this.#from = new DictionaryColumn((one) => one && JSON.stringify(one));
      for (let row = 0; row < this.#length; row++) this.#from.push(undefined);
    }
    this.#from.push(from);
  }

  #at(row: number): Sample {
    const from = this.#from?.at(row);
    const number = (name: (typeof NUMBERS)[number]) => this.#numbers[name].at(row);
    return {
      caseId: this.#caseId.at(row),
      target: this.#target.at(row),
      trial: number("trial") ?? 0,
      phase: this.#phase.at(row),
      roundIndex: number("roundIndex") ?? 0,
      position: number("position") ?? 0,
      startedAtMs: number("startedAtMs") ?? 0,
      connectMs: number("connectMs"),
      firstByteMs: number("firstByteMs"),
      lastByteMs: number("lastByteMs"),
      cpuMs: number("cpuMs"),
      minorFaults: number("minorFaults"),
      status: number("status"),
      bodyBytes: number("bodyBytes"),
      instanceId: this.#instanceId.at(row),
      served: number("served"),
      inFlight: number("inFlight"),
      ...(from === undefined ? {} : { from }),
      error: this.#error.at(row),
    };
  }
}
