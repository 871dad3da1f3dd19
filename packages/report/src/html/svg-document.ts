import { escapeText } from "./markup.ts";

/** The little of the DOM that Observable Plot needs to draw without a browser. Elements print as SVG. */
class SvgElement {
  readonly namespaceURI = "http://www.w3.org/2000/svg";
  readonly style = { setProperty: () => {} };
  readonly ownerDocument: SvgDocument;
  parentNode: SvgElement | null = null;
  readonly #tag: string;
  readonly #attributes = new Map<string, string>();
  #children: (SvgElement | string)[] = [];

  constructor(tag: string, ownerDocument: SvgDocument) {
    this.#tag = tag;
    this.ownerDocument = ownerDocument;
  }

  setAttribute(name: string, value: unknown): void {
    this.#attributes.set(name, String(value));
  }
  setAttributeNS(_namespace: string, name: string, value: unknown): void {
    this.setAttribute(name, value);
  }
  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }
  appendChild(child: SvgElement): SvgElement {
    return this.insertBefore(child, null);
  }
  append(...children: readonly (SvgElement | string)[]): void {
    for (const child of children) {
      if (typeof child === "string") this.#children.push(child);
      else this.appendChild(child);
    }
  }
  insertBefore(child: SvgElement, next: SvgElement | null): SvgElement {
    const index = next === null ? -1 : this.#children.indexOf(next);
    this.#children.splice(index === -1 ? this.#children.length : index, 0, child);
    child.parentNode = this;
    return child;
  }
  querySelector(): null {
    return null;
  }
  querySelectorAll(): readonly SvgElement[] {
    return [];
  }
  get childNodes(): readonly (SvgElement | string)[] {
    return this.#children;
  }
  set textContent(text: string) {
    this.#children = [String(text)];
  }

  /** What is inside, as markup: the page sets the outer element itself. */
  inner(): string {
    return this.#children
      .map((child) => (typeof child === "string" ? escapeText(child) : child.outer()))
      .join("");
  }

  outer(): string {
    // The page has one style for all figures; the text alternative is the figure's title and description.
    if (this.#tag === "style") return "";
    const points = this.#filledPoints();
    if (points !== null) return points.outer();
    const attributes = [...this.#attributes]
      .filter(([name]) => !name.startsWith("aria-"))
      .map(([name, value]) => ` ${name}="${escapeText(shortNumbers(value))}"`);
    const inner = this.inner();
    return inner === ""
      ? `<${this.#tag}${attributes.join("")}/>`
      : `<${this.#tag}${attributes.join("")}>${inner}</${this.#tag}>`;
  }

  /** A group of equal discs without an outline as one path, a third of the text: lines of no length with round ends. Else null. */
  #filledPoints(): SvgElement | null {
    const fill = this.getAttribute("fill");
    const radius = this.#radius();
    if (fill === null || fill === "none" || this.hasAttribute("stroke") || radius === null) return null;
    const path = new SvgElement("path", this.ownerDocument);
    const points = this.#elements().map((disc) => `M${disc.getAttribute("cx")} ${disc.getAttribute("cy")}h0`);
    path.setAttribute("d", points.join(""));
    path.setAttribute("stroke", fill);
    path.setAttribute("stroke-width", 2 * radius);
    path.setAttribute("stroke-linecap", "round");
    const opacity = this.getAttribute("fill-opacity");
    if (opacity !== null) path.setAttribute("stroke-opacity", opacity);
    return path;
  }

  /** That of all children, if these are circles of one size and nothing else. */
  #radius(): number | null {
    const radii = this.#elements().map((child) =>
      child.#tag === "circle" && child.#attributes.size === 3 ? child.getAttribute("r") : null,
    );
    const [radius = null] = radii;
    const isOne = radii.length === this.#children.length && radii.every((one) => one === radius);
    return isOne && radius !== null ? Number(radius) : null;
  }

  #elements(): readonly SvgElement[] {
    return this.#children.filter((child) => child instanceof SvgElement);
  }
}

/** A hundredth of a pixel is enough for coordinates, and keeps the file small. */
function shortNumbers(value: string): string {
  return value.replace(/\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100));
}

/** A document to give to Observable Plot as its option `document`. */
export class SvgDocument {
  readonly documentElement: SvgElement = new SvgElement("svg", this);
  createElementNS(_namespace: string, tag: string): SvgElement {
    return new SvgElement(tag, this);
  }
  createElement(tag: string): SvgElement {
    return new SvgElement(tag, this);
  }
  createTextNode(text: string): string {
    return text;
  }
}

/** The markup inside a figure that Plot drew with an `SvgDocument`. */
export function figureMarkup(figure: unknown): string {
  if (figure instanceof SvgElement) return figure.inner();
  throw new TypeError("The figure was not drawn with an SvgDocument.");
}
