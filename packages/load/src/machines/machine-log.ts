import type { PlanClient } from "@evenbench/vantages";
import type { LoadBeginLine, LoadEndLine, LoadExchangeLine } from "./lines.ts";

/** What is known of one machine by the lines that it wrote. Those of a stage are kept until the next one begins. */
export class MachineLog implements PlanClient<LoadExchangeLine, LoadEndLine> {
  readonly begin: LoadBeginLine;
  readonly file: string;
  readonly #onStage: (machine: MachineLog, stage: number, lines: readonly LoadExchangeLine[]) => void;
  readonly #logged = new Map<number, number>();
  #stage = 0;
  #lines: LoadExchangeLine[] = [];
  #end: LoadEndLine | null = null;
  #twice: string | null = null;
  #late = 0;

  /**
   * @param onStage gets each stage that has lines, when it is over.
   */
  constructor(
    begin: LoadBeginLine,
    file: string,
    onStage: (machine: MachineLog, stage: number, lines: readonly LoadExchangeLine[]) => void,
  ) {
    this.begin = begin;
    this.file = file;
    this.#onStage = onStage;
  }

  /** "eu 2/4". */
  get name(): string {
    const { vantage, part } = this.begin;
    return `${vantage} ${part.index + 1}/${part.of}`;
  }

  /** What part of the plan's load it puts on: more than 0, at most 1. */
  get share(): number {
    return 1 / this.begin.part.of;
  }

  get logged(): number {
    return [...this.#logged.values()].reduce((sum, count) => sum + count, 0);
  }

  get twice(): string | null {
    return this.#twice;
  }

  exchange(line: LoadExchangeLine, file: string): boolean {
    if (this.#end !== null) {
      this.#twice ??= file;
      return false;
    }
    if (line.stage < this.#stage) {
      this.#late += 1;
      return false;
    }
    if (line.stage > this.#stage) this.#close(line.stage);
    this.#logged.set(line.stage, (this.#logged.get(line.stage) ?? 0) + 1);
    this.#lines.push(line);
    return true;
  }

  beginAgain(file: string): void {
    this.#twice ??= file;
  }

  finish(end: LoadEndLine, file: string): void {
    if (this.#end !== null) this.#twice ??= file;
    this.#end = end;
    this.close();
  }

  close(): void {
    this.#close(this.#stage + 1);
  }

  #close(next: number): void {
    const lines = this.#lines;
    const stage = this.#stage;
    this.#lines = [];
    this.#stage = next;
    if (lines.length > 0) this.#onStage(this, stage, lines);
  }

  get lacks(): string | null {
    const end = this.#end;
    if (end === null) return `has no end: ${this.logged} requests are there`;
    if (end.stopped !== null) return `stopped: ${end.stopped}`;
    if (this.#late > 0) return `has ${this.#late} requests of a stage after those of the next one`;
    const wrong = end.exchanges.findIndex((count, stage) => (this.#logged.get(stage) ?? 0) !== count);
    if (wrong === -1) return null;
    return `has ${this.#logged.get(wrong) ?? 0} requests of stage ${wrong + 1}, and its end line counts ${end.exchanges[wrong]}`;
  }
}
