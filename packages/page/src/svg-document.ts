// The part of a document that Observable Plot draws into: elements with attributes and text, which are written as SVG.
import { html, Markup } from "./markup.ts";

const SVG = "http://www.w3.org/2000/svg";

/** A text in an element. */
class TextNode {
  parentNode: SvgElement | null = null;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get markup(): Markup {
    return html`${this.#text}`;
  }
}

/** An element as `document.createElementNS` makes it, with what Plot and d3-selection ask of one. */
export class SvgElement {
  readonly namespaceURI = SVG;
  readonly ownerDocument: SvgDocument;
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly childNodes: (SvgElement | TextNode)[] = [];
  parentNode: SvgElement | null = null;

  constructor(tagName: string, ownerDocument: SvgDocument) {
    this.tagName = tagName;
    this.ownerDocument = ownerDocument;
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  appendChild<Child extends SvgElement | TextNode>(child: Child): Child {
    return this.insertBefore(child, null);
  }

  insertBefore<Child extends SvgElement | TextNode>(child: Child, next: SvgElement | TextNode | null): Child {
    const at = next === null ? this.childNodes.length : this.childNodes.indexOf(next);
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  set textContent(text: string) {
    this.childNodes.splice(0, Number.POSITIVE_INFINITY, new TextNode(text));
  }

  /** Takes out those elements of its own that have a name. */
  removeChildren(tagName: string): void {
    const kept = this.childNodes.filter(
      (child) => !(child instanceof SvgElement && child.tagName === tagName),
    );
    this.childNodes.splice(0, Number.POSITIVE_INFINITY, ...kept);
  }

  /** Gives the elements within it, parents before what they have. */
  descendants(): readonly SvgElement[] {
    const children = this.childNodes.filter((child) => child instanceof SvgElement);
    return children.flatMap((child) => [child, ...child.descendants()]);
  }

  /** Writes what is within it. */
  get content(): Markup {
    return new Markup(this.childNodes.map(({ markup }) => markup.text).join(""));
  }

  get markup(): Markup {
    const name = new Markup(this.tagName);
    const attributes = [...this.attributes].map(([key, value]) => html` ${new Markup(key)}="${value}"`);
    if (this.childNodes.length === 0) {
      return html`<${name}${attributes}/>`;
    }
    return html`<${name}${attributes}>${this.content}</${name}>`;
  }
}

/** A document that makes such elements. */
export class SvgDocument {
  readonly documentElement: SvgElement = new SvgElement("svg", this);

  createElementNS(_namespace: string, tagName: string): SvgElement {
    return new SvgElement(tagName, this);
  }

  createTextNode(text: string): TextNode {
    return new TextNode(text);
  }
}
