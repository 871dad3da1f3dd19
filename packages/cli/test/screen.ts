// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal acts upon.
const PART = /\u001b\[(?<count>\d*)(?<action>[A-Za-z])|(?<letter>[\s\S])/gu;

/** A row of a terminal. */
interface Row {
  readonly cells: string[];
  /** True where the line was longer than the terminal is wide. */
  isBroken: boolean;
}

/** A terminal that breaks long lines, also again when its width changes. No line leaves it at the top. */
export class Screen {
  #columns: number;
  #rows: Row[] = [{ cells: [], isBroken: false }];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Each row's text, without empty ones. */
  get rows(): readonly string[] {
    const texts = this.#rows.map(({ cells }) => Array.from(cells, (cell) => cell ?? " ").join(""));
    return texts.filter((text) => text.trim() !== "");
  }

  write(text: string): void {
    for (const { groups = {} } of text.matchAll(PART)) {
      const { count, action, letter } = groups;
      if (letter === undefined) {
        this.#act(action ?? "", Number(count || 1));
      } else {
        this.#put(letter);
      }
    }
  }

  /** The cursor stays behind the last letter. */
  resize(columns: number): void {
    const text = this.#rows.map(({ cells, isBroken }) => `${cells.join("")}${isBroken ? "" : "\n"}`).join("");
    this.#columns = columns;
    this.#rows = [{ cells: [], isBroken: false }];
    this.#row = 0;
    this.#column = 0;
    this.write(text.trimEnd());
  }

  #act(action: string, count: number): void {
    if (action === "m") {
      return;
    }
    if (action === "A") {
      this.#row = Math.max(0, this.#row - count);
    } else if (action === "J") {
      this.#rows = this.#rows.slice(0, this.#row + 1);
      this.#current().cells.splice(this.#column);
      this.#current().isBroken = false;
    } else {
      throw new Error(`This terminal does not know ${action}.`);
    }
  }

  #put(letter: string): void {
    if (letter === "\r") {
      this.#column = 0;
    } else if (letter === "\n") {
      this.#toNextRow();
    } else {
      if (this.#column >= this.#columns) {
        this.#current().isBroken = true;
        this.#toNextRow();
      }
      this.#current().cells[this.#column] = letter;
      this.#column += 1;
    }
  }

  #toNextRow(): void {
    this.#row += 1;
    this.#column = 0;
    while (this.#rows.length <= this.#row) {
      this.#rows.push({ cells: [], isBroken: false });
    }
  }

  #current(): Row {
    return this.#rows[this.#row] as Row;
  }
}
