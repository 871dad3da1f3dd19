/** CSS as satori takes it; lengths in pixels. */
export type CardStyle = Readonly<Record<string, string | number>>;

/** A part of a card, in the shape that satori draws. */
export interface CardNode {
  readonly type: "div";
  readonly key: null;
  readonly props: { readonly style: CardStyle; readonly children: readonly CardNode[] | string };
}

/** Parts beside each other, or below each other with `flexDirection`. */
export function box(style: CardStyle, ...children: readonly (CardNode | null)[]): CardNode {
  const parts = children.filter((one) => one !== null);
  return {
    type: "div",
    key: null,
    props: { style: { display: "flex", boxSizing: "border-box", ...style }, children: parts },
  };
}

/** Text of so many lines at most; what has no room ends in three dots. */
export function words(text: string, lines: number, style: CardStyle): CardNode {
  const clamped = { display: "block", lineClamp: lines, wordBreak: "break-word", ...style };
  return { type: "div", key: null, props: { style: clamped, children: text } };
}
