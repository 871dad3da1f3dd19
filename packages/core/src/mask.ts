import type { BodyRules } from "./schema.ts";

const OPEN = "[eb[";
const CLOSE = "]eb]";
const MARKED = /\[eb\[.*?\]eb\]/gs;

/** Marks text that must differ between responses (a time stamp), so that it can be masked. */
export function volatile(text: string): string {
  return OPEN + text + CLOSE;
}

const NO_RULES: BodyRules = { masks: [], variation: null };

/** A pattern for text that may differ between responses. */
export type BodyMask = BodyRules["masks"][number];

/**
 * Takes out of a body what may differ between equal responses: volatile text, what a mask matches, and React's order of
 * pieces.
 *
 * @param replace replaces all that a mask matches. Default: at once, however long it takes.
 */
export function maskBody(
  body: string,
  { masks, variation }: BodyRules = NO_RULES,
  replace: (text: string, mask: BodyMask) => string = replaceMatches,
): string {
  const normal = variation === null ? body : NORMAL_FORMS[variation.normalForm](body);
  let masked = normal.replace(MARKED, OPEN + CLOSE);
  for (const mask of masks) {
    masked = replace(masked, mask);
  }
  return masked;
}

function replaceMatches(text: string, { pattern, replacement }: BodyMask): string {
  return text.replace(new RegExp(pattern, "gs"), replacement);
}

// React sends what is ready when it is ready: the same page comes in other pieces each time. The names are those of
// React's server renderer: a segment ("S:") is a late piece, a boundary ("B:") or a placeholder ("P:") is its place.

const FLIGHT =
  /<script>(?:self\.__next_f|\(self\.__next_f=self\.__next_f\|\|\[\]\))\.push\(\[\d(?:,"((?:[^"\\]|\\.)*)")?\]\)<\/script>/g;
const REACT_SCRIPT =
  /<script>(?:requestAnimationFrame\(|\$R|[^<]{0,40}\$R)[^<]*(?:<(?!\/script>)[^<]*)*<\/script>/g;
const SEGMENT = /<div hidden id="S:([0-9a-f]+)">/g;
const COMPLETE = /\$RC\("B:([0-9a-f]+)","S:([0-9a-f]+)"\)/g;
const PLACEHOLDER = /<template id="P:([0-9a-f]+)"><\/template>/g;
const BOUNDARY = /<!--\$\?--><template id="B:([0-9a-f]+)"><\/template>(.*?)<!--\/\$-->/gs;
const DIV = /<div[ >]|<\/div>/g;
const STRING = /"(?:[^"\\]|\\.)*"/g;

/** A streamed page, put in order. */
interface ArrangedPage {
  /** The HTML with every late piece in its place, without the scripts that put them there. */
  readonly html: string;
  /** Parts of Next.js' flight data, as they came. */
  readonly flight: readonly string[];
}

/** Writes a streamed page in one order: the HTML, then Next.js' flight data, sorted. */
function reactStreamNormalForm(body: string): string {
  const { html, flight } = arrange(body);
  return `${html}\n${flightTexts(flight).join("\n")}`;
}

function arrange(body: string): ArrangedPage {
  const flight: string[] = [];
  const html = body.replace(FLIGHT, (_, text: string | undefined) => {
    if (text !== undefined) {
      flight.push(text);
    }
    return "";
  });
  const segments = new Map<string, string>();
  const boundaries = new Map([...html.matchAll(COMPLETE)].map(([, to, from]) => [to, from]));
  let shell = "";
  let at = 0;
  for (const match of html.matchAll(SEGMENT)) {
    if (match.index < at) {
      continue;
    }
    const start = match.index + match[0].length;
    const end = endOfDiv(html, start);
    shell += html.slice(at, match.index);
    segments.set(match[1] as string, html.slice(start, end));
    at = end + "</div>".length;
  }
  shell = (shell + html.slice(at)).replace(REACT_SCRIPT, "");
  return { html: fill(shell), flight };

  function fill(text: string): string {
    return text
      .replace(BOUNDARY, (unfinished, id: string) => {
        const content = segments.get(boundaries.get(id) ?? "");
        return content === undefined ? unfinished : `<!--$-->${fill(content)}<!--/$-->`;
      })
      .replace(PLACEHOLDER, (placeholder, id: string) => {
        const content = segments.get(id);
        return content === undefined ? placeholder : fill(content);
      });
  }
}

/** Scripts but for those that are data of the page itself. */
const SCRIPT = /<script\b(?![^>]*\btype="application\/ld\+json")[^>]*>.*?<\/script>/gs;
const LINK_OR_COMMENT = /<link\b[^>]*>|<!--.*?-->/gs;
/** The place of metadata that came late. */
const EMPTY_PLACE = /<div hidden(?:="")?><\/div>/g;
const METADATA = /<meta\b[^>]*>|<title>.*?<\/title>/gs;

/**
 * Writes what a visitor sees of a page: elements and texts in one order, and sorted metadata, without what frameworks
 * add each in its own way: scripts, flight data, links to assets, comments.
 */
function reactDocumentNormalForm(body: string): string {
  const { html } = arrange(body);
  const bare = html.replace(SCRIPT, "").replace(LINK_OR_COMMENT, "").replace(EMPTY_PLACE, "");
  const metadata = bare.match(METADATA) ?? [];
  return `${metadata.sort().join("\n")}\n${bare.replace(METADATA, "")}`;
}

const NORMAL_FORMS = {
  "react-stream": reactStreamNormalForm,
  "react-document": reactDocumentNormalForm,
} as const;

/** Finds the closing tag of a div whose content begins at `start`; the end of the text where it is not closed. */
function endOfDiv(html: string, start: number): number {
  let depth = 1;
  DIV.lastIndex = start;
  for (let tag = DIV.exec(html); tag !== null; tag = DIV.exec(html)) {
    depth += tag[0] === "</div>" ? -1 : 1;
    if (depth === 0) {
      return tag.index;
    }
  }
  return html.length;
}

/**
 * Keys that Next.js gives a page's viewport ("v") and metadata ("m") behind the id of the request: one of nanoid, or
 * a UUID (getFlightViewportKey in next/dist/server/app-render/app-render.js, 16.4.3).
 */
const REQUEST_KEY = /^"([\w-]{21}|[\w-]{36})[vm]"$/;
/** The text in the place of such a key. */
const KEY_OF_REQUEST = `"${OPEN}${CLOSE}"`;

/** Finds the ids of requests in texts of flight data: those that stand there with both letters. */
function requestIds(texts: readonly string[]): ReadonlySet<string> {
  const all = new Set(texts);
  const ids = texts.flatMap((text) => REQUEST_KEY.exec(text)?.[1] ?? []);
  return new Set(ids.filter((id) => all.has(`"${id}v"`) && all.has(`"${id}m"`)));
}

/** Finds the texts in Next.js' flight data, sorted, without ids of requests; the data as it came where it was cut off. */
function flightTexts(flight: readonly string[]): string[] {
  const written = flight.join("");
  let rows: string;
  try {
    rows = JSON.parse(`"${written}"`);
  } catch {
    return [written];
  }
  const texts = (rows.match(STRING) ?? []).filter((text) => !text.startsWith('"$'));
  const ids = requestIds(texts);
  const isKey = (text: string) => ids.has(REQUEST_KEY.exec(text)?.[1] ?? "");
  return texts.map((text) => (isKey(text) ? KEY_OF_REQUEST : text)).sort();
}
