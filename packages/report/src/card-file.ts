/** Apart from what draws it, which is heavy. */
export const CARD_FILE = "card.png";
