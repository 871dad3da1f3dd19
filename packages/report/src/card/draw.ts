import { readFile } from "node:fs/promises";
import satori, { type Font } from "satori";
import { FONTS, pngOf } from "#card-files";
import { escapeText } from "../html/markup.ts";
import type { CardContent } from "./content.ts";
import { FIRST_SCRIPT, fontFiles, OTHER_SCRIPTS } from "./font-files.ts";
import { layOut } from "./layout.ts";
import { HEIGHT, WIDTH } from "./look.ts";

export interface DrawnCard {
  readonly svg: string;
  readonly png: Buffer;
}

/** Draws a card. Letters become outlines of the font that comes along: the picture is the same wherever it is seen. */
export async function drawCard(content: CardContent): Promise<DrawnCard> {
  const outlined = await satori(layOut(content), {
    width: WIDTH,
    height: HEIGHT,
    fonts: await fontsOf([FIRST_SCRIPT]),
    loadAdditionalAsset: async (kind) => (kind === "emoji" ? [] : fontsOf(OTHER_SCRIPTS)),
  });
  const title = `<title>${escapeText(content.question)}</title><desc>${escapeText(content.answer)}</desc>`;
  const svg = outlined.replace(
    /^<svg [^>]*>/,
    (start) => `${start.replace("<svg", '<svg role="img"')}${title}`,
  );
  return { svg: `${svg}\n`, png: await pngOf(svg) };
}

/** Of so many scripts, in every weight that a card has. */
export function fontsOf(scripts: readonly string[]): Promise<Font[]> {
  return Promise.all(
    fontFiles(scripts).map(async ({ script, weight, file }) => ({
      name: `Inter ${script}`,
      weight,
      style: "normal" as const,
      data: await readFile(new URL(file, FONTS)),
    })),
  );
}
