import { join } from "node:path";
import { ownFolder, writeWhole } from "@evenbench/results";
import { CARD_FILE } from "../card-file.ts";
import type { ReportData } from "../data.ts";
import { caseCard, runCard } from "./card-of.ts";
import type { CardContent } from "./content.ts";
import { drawCard } from "./draw.ts";

/**
 * Writes a run's picture into its folder.
 *
 * @throws {ResultsError} when it cannot be written.
 */
export async function writeRunCard(folder: string, data: ReportData): Promise<void> {
  await write(join(folder, CARD_FILE), runCard(data));
}

/** A run's picture alone, as PNG. */
export async function drawRunCard(data: ReportData): Promise<Uint8Array> {
  return (await drawCard(runCard(data))).png;
}

/**
 * Writes a picture for each case into `cards/` of a run's folder.
 *
 * @returns the folder that has them.
 * @throws {ResultsError} when they cannot be written.
 */
export async function writeCaseCards(folder: string, data: ReportData): Promise<string> {
  const cards = join(folder, "cards");
  await ownFolder(cards);
  for (const report of data.cases) {
    // What stands in a run's file need not be an id, and must not lead out of the folder.
    const name = encodeURIComponent(report.manifest.id);
    await write(join(cards, `${name}.png`), caseCard(report, data));
  }
  return cards;
}

async function write(pngFile: string, content: CardContent): Promise<void> {
  const { svg, png } = await drawCard(content);
  await writeWhole(pngFile, png);
  await writeWhole(pngFile.replace(/png$/, "svg"), svg);
}
