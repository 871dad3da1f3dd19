/** The picture of a run, in its folder; `card.svg` beside it is the same. Apart from what draws it, which is heavy. */
export const CARD_FILE = "card.png";
