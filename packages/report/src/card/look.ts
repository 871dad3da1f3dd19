/** Size of a card: what services show whole as the picture of a link. */
export const WIDTH = 1200;
export const HEIGHT = 630;

/** The light colours of the pages: a picture does not know where it is shown. */
export const PAPER = "#ffffff";
export const INK = "#1b1f24";
export const SOFT = "#57606a";
export const LINE = "#dfe3e8";
export const SHADE = "#f6f7f9";
