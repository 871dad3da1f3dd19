import { parseHTML } from "linkedom";

const SVG = "http://www.w3.org/2000/svg";

/** A document to give to Observable Plot as its option `document`: it draws without a browser. */
export function createDocument(): Document {
  return parseHTML("<!doctype html><html></html>").document;
}

/** The markup inside a figure that Plot drew, made shorter: the page sets the outer element itself. */
export function figureMarkup(figure: Element): string {
  // The page has one style for all figures.
  for (const style of figure.querySelectorAll("style")) style.remove();
  for (const group of figure.querySelectorAll("g")) joinDiscs(group);
  for (const group of figure.querySelectorAll("g")) joinTicks(group);
  for (const element of figure.querySelectorAll("*")) shorten(element);
  return figure.innerHTML;
}

/**
 * Draws a group of equal discs without an outline as one path, a third of the text: lines of no length with
 * round ends.
 */
function joinDiscs(group: Element): void {
  const fill = group.getAttribute("fill");
  const radius = radiusOf(group);
  if (fill === null || fill === "none" || group.hasAttribute("stroke") || radius === null) return;
  const path = group.ownerDocument.createElementNS(SVG, "path");
  const points = [...group.children].map(
    (disc) => `M${disc.getAttribute("cx")} ${disc.getAttribute("cy")}h0`,
  );
  path.setAttribute("d", points.join(""));
  path.setAttribute("stroke", fill);
  path.setAttribute("stroke-width", String(2 * radius));
  path.setAttribute("stroke-linecap", "round");
  const opacity = group.getAttribute("fill-opacity");
  if (opacity !== null) path.setAttribute("stroke-opacity", opacity);
  group.replaceWith(path);
}

/** That of all children, if these are circles of one size and nothing else. */
function radiusOf({ children, childNodes }: Element): number | null {
  const radii = [...children].map((child) =>
    child.localName === "circle" && child.attributes.length === 3 ? child.getAttribute("r") : null,
  );
  const [radius = null] = radii;
  const isOne = radii.length === childNodes.length && radii.every((one) => one === radius);
  return isOne && radius !== null ? Number(radius) : null;
}

/** Draws the ticks of an axis, equal lines at different places, as one path. */
function joinTicks(group: Element): void {
  const ticks = [...group.children].map(tickOf);
  if (ticks.length < 2 || ticks.includes(null) || ticks.length !== group.childNodes.length) return;
  const path = group.ownerDocument.createElementNS(SVG, "path");
  path.setAttribute("d", ticks.join(""));
  group.replaceChildren(path);
}

/** A line from the place to which it is moved, as a part of a path; null for anything else. */
function tickOf(child: Element): string | null {
  if (child.localName !== "path" || child.attributes.length !== 2) return null;
  const place = /^translate\(([-\d.]+,[-\d.]+)\)$/.exec(child.getAttribute("transform") ?? "");
  const line = /^M0,0L([-\d.]+,[-\d.]+)$/.exec(child.getAttribute("d") ?? "");
  return place === null || line === null ? null : `M${place[1]}l${line[1]}`;
}

/** The text alternative is the figure's title and description, so parts need none of their own. */
function shorten(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (name.startsWith("aria-")) element.removeAttribute(name);
    else element.setAttribute(name, shortNumbers(value));
  }
}

/** A tenth of a pixel is enough for coordinates, and keeps the file small; lengths in em are parts of a letter. */
function shortNumbers(value: string): string {
  return value.replace(/\d+\.\d{2,}(?!\d|em)/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
