import { createHash } from "node:crypto";
import { html, Markup } from "./markup.ts";
import { STYLE } from "./style.ts";

/** The Content Security Policy of all pages: nothing is loaded or sent, and the page's own script alone runs. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * Makes a page of one file that loads nothing, as its Content Security Policy says.
 *
 * @param style CSS behind that of all pages.
 * @param parts what else stands in <head>, and the source of the page's one script.
 */
export function htmlDocument(
  title: string,
  body: Markup,
  style = "",
  { head, script }: { readonly head?: Markup; readonly script?: string } = {},
): string {
  const policy = POLICY + (script === undefined ? "" : `; script-src ${hashOf(script)}`);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>${head ?? null}
<link rel="icon" href="data:,">
<style>${new Markup(STYLE + style)}</style>
</head>
<body>
${body}${
  script === undefined
    ? null
    : html`
<script>${new Markup(script)}</script>`
}
</body>
</html>
`;
  return page.text;
}

/** The preview of a page where somebody posts a link to it (https://ogp.me). */
interface Preview {
  /** Kind of the page: "article" or "website". */
  readonly kind: string;
  readonly title: string;
  readonly description: string;
  /** Address of a picture. Default: none. */
  readonly image?: string;
  /** The picture in words, for those who do not see it. */
  readonly imageSays?: string;
  /** Address where the page is published. Default: it is not known. */
  readonly url?: string;
}

/** Makes the elements of <head> that say what is shown where somebody posts a link to the page. */
export function linkPreview({ kind, title, description, image, imageSays, url }: Preview): Markup {
  const meta = (property: string, content: string | undefined) =>
    content === undefined ? null : html`\n<meta property="og:${property}" content="${content}">`;
  const pictured =
    image === undefined ? null : html`\n<meta name="twitter:card" content="summary_large_image">`;
  const canonical = url === undefined ? null : html`\n<link rel="canonical" href="${url}">`;
  return html`${meta("type", kind)}${meta("title", title)}${meta("description", description)}${meta("image", image)}${meta("image:alt", imageSays)}${pictured}${meta("url", url)}${canonical}`;
}

function hashOf(script: string): string {
  return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
}
