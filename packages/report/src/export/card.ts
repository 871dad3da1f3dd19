import { card } from "../media/card.ts";
import { CARD_FILE } from "../names.ts";
import type { Exporter } from "./exporter.ts";

/** The card as a drawing. */
export const cardDrawing: Exporter = {
  file: "card.svg",
  render: ({ facts }) => card(facts),
};

/** The card as a picture of 1200 by 630 pixels. */
export const cardPicture: Exporter = {
  file: CARD_FILE,
  async render({ facts }) {
    // What draws is loaded when a card is wanted: it takes longer to load than all else of the report.
    const { pngOf } = await import("../card/picture.ts");
    return pngOf(card(facts));
  },
};
