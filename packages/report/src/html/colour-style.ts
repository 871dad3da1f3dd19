/**
 * Colours of platforms after Okabe & Ito's palette for colour-blind readers, by the number that
 * `platformColours` gives.
 */
export const LIGHT_PALETTE = [
  "#0072b2",
  "#d55e00",
  "#008a64",
  "#aa4499",
  "#8a7000",
  "#3d8fc4",
  "#57606a",
  "#b07900",
] as const;
const DARK_PALETTE = [
  "#56b4e9",
  "#ff9a4d",
  "#3fcf9f",
  "#e28fd3",
  "#e6cf4a",
  "#9ecae1",
  "#c9d1d9",
  "#e69f00",
] as const;

const declared = (palette: readonly string[]) =>
  palette.map((colour, index) => `--t${index}:${colour}`).join(";");
export const LIGHT_COLOURS = declared(LIGHT_PALETTE);
export const DARK_COLOURS = declared(DARK_PALETTE);

/** Of `colourMark`, and of what has a class of `seriesClass`. */
export const MARK_STYLE = `${Array.from({ length: 8 }, (_, index) => `.c${index}{--c:var(--t${index})}`).join("")}
span.target{font-weight:500;display:inline-block;max-width:100%}
span.target::before{content:"";display:inline-block;width:10px;height:10px;border-radius:50%;background:var(--c);margin-right:7px;border:2px solid var(--c);vertical-align:-1px}
span.target.copy::before{background:transparent}`;
