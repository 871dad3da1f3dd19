import { CARD_FILE } from "../names.ts";
import type { Exporter } from "./exporter.ts";

// What draws is loaded when a card is wanted: it takes longer to load than all else of the report.

/** The card as a drawing. */
export const cardDrawing: Exporter = {
  file: "card.svg",
  async render({ data }) {
    const { cardOf, drawSvg } = await import("../card/card.ts");
    return drawSvg(cardOf(data));
  },
};

/** The card as a picture of 1200 by 630 pixels. */
export const cardPicture: Exporter = {
  file: CARD_FILE,
  async render({ data }) {
    const { cardOf, drawSvg } = await import("../card/card.ts");
    const { pngOf } = await import("../card/picture.ts");
    return pngOf(drawSvg(cardOf(data)));
  },
};
