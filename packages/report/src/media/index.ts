// Every file that a run's report is written to.
import type { Details } from "../facts/details.ts";
import type { Facts } from "../facts/facts.ts";
import { csv } from "./csv.ts";
import { CARD_FILE, MARKDOWN_FILE, REPORT_FILE } from "./files.ts";
import { json } from "./json.ts";
import { junit, type TestSuite } from "./junit.ts";
import { page } from "./page/page.ts";
import { share } from "./share.ts";
import { bmf, smallerIsBetter } from "./trackers.ts";

export { MARKDOWN_FILE, REPORT_FILE } from "./files.ts";

/** What a file is written from. */
export interface MediumInput {
  readonly facts: Facts;
  readonly details: Details;
  /** Facts of the loads that lie in the run's folder. */
  readonly loads: readonly Facts[];
}

/** A file of a run's report. The same input gives the same bytes. A new one is an entry of `MEDIA`. */
interface Medium {
  /** Its name in the run's folder. */
  readonly file: string;
  render(input: MediumInput): string | Promise<string | Uint8Array>;
}

/** Every file of a run's report, in the order in which they are written. */
export const MEDIA: readonly Medium[] = [
  { file: "facts.json", render: ({ facts }) => json(facts) },
  { file: "details.json", render: ({ details }) => json(details) },
  { file: REPORT_FILE, render: ({ facts, details, loads }) => page(facts, details, { loads }) },
  { file: MARKDOWN_FILE, render: ({ facts }) => `${share(facts)}\n` },
  { file: "facts.csv", render: ({ facts }) => csv(facts) },
  { file: CARD_FILE, render: ({ facts }) => picture(facts) },
  { file: "card.svg", render: ({ facts }) => svg(facts) },
];

/** A form of the facts for a program that is no part of Evenbench. */
interface ExportedFile {
  /** Its name, where nobody gives another. */
  readonly file: string;
  /** @param suites what conditions found. */
  render(facts: Facts, suites: readonly TestSuite[]): string;
}

/** Every form that `--export` writes, by the word that asks for it. */
export const EXPORTS = {
  bmf: { file: "bmf.json", render: bmf },
  github: { file: "github.json", render: smallerIsBetter },
  junit: { file: "junit.xml", render: junit },
} as const satisfies Readonly<Record<string, ExportedFile>>;

/** Draws the card as SVG. What draws is loaded when a card is wanted: it takes longer to load than all else of the report. */
async function svg(facts: Facts): Promise<string> {
  const { card } = await import("./card.ts");
  return card(facts);
}

/** Draws the card as a picture of 1200 by 630 pixels. */
async function picture(facts: Facts): Promise<Uint8Array> {
  const { pngOf } = await import("../card/picture.ts");
  return pngOf(await svg(facts));
}
