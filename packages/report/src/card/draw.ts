import { readFile } from "node:fs/promises";
import { Resvg } from "@resvg/resvg-js";
import satori, { type Font } from "satori";
import { escapeText } from "../html/markup.ts";
import type { CardContent } from "./content.ts";
import { layOut } from "./layout.ts";
import { HEIGHT, WIDTH } from "./look.ts";

const WEIGHTS = [400, 600] as const;
/** Names of cases and targets can be in any script; these are loaded when a letter of them is met. */
const OTHER_SCRIPTS = ["latin-ext", "greek", "cyrillic", "vietnamese"];

export interface DrawnCard {
  readonly svg: string;
  readonly png: Buffer;
}

/** Draws a card. Letters become outlines of the font that comes along: the picture is the same wherever it is seen. */
export async function drawCard(content: CardContent): Promise<DrawnCard> {
  const outlined = await satori(layOut(content), {
    width: WIDTH,
    height: HEIGHT,
    fonts: await fontsOf(["latin"]),
    loadAdditionalAsset: async (kind) => (kind === "emoji" ? [] : fontsOf(OTHER_SCRIPTS)),
  });
  const title = `<title>${escapeText(content.question)}</title><desc>${escapeText(content.answer)}</desc>`;
  const svg = outlined.replace(
    /^<svg [^>]*>/,
    (start) => `${start.replace("<svg", '<svg role="img"')}${title}`,
  );
  const png = new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng();
  return { svg: `${svg}\n`, png };
}

const FONT = import.meta.resolve("@fontsource/inter/package.json");

/** Of so many scripts, in every weight that a card has. */
export function fontsOf(scripts: readonly string[]): Promise<Font[]> {
  return Promise.all(
    scripts.flatMap((script) =>
      WEIGHTS.map(async (weight) => ({
        name: `Inter ${script}`,
        weight,
        style: "normal" as const,
        data: await readFile(new URL(`files/inter-${script}-${weight}-normal.woff`, FONT)),
      })),
    ),
  );
}
