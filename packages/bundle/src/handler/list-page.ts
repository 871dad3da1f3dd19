import { type CaseManifest, describeBounds } from "@evenbench/core";

type ListedCase = Pick<CaseManifest, "id" | "path" | "title" | "description" | "parameters" | "sends">;

/** Writes the page at `/`: a list of the cases, as HTML. */
export function listPage(cases: readonly ListedCase[], platform: string, label: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evenbench on ${escapeHtml(platform)}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
</style>
</head>
<body>
<h1>Evenbench on ${escapeHtml(platform)}</h1>
<p>${escapeHtml(label)}, ${cases.length} cases. <a href="/identity">Identity of this instance</a></p>
${cases.map(listedSection).join("\n")}
</body>
</html>
`;
}

function listedSection({ id, path, title, description, parameters, sends }: ListedCase): string {
  const items = Object.entries(parameters).map(([name, parameter]) => {
    const what = `${parameter.description} (${describeBounds(parameter)}; else ${parameter.default})`.trim();
    return `<li><code>?${name}=</code> ${escapeHtml(what)}</li>`;
  });
  // A link asks by GET, which a case with a request of its own refuses.
  const heading = sends === undefined ? `<a href="${path}">${id}</a>` : `${id} (${sends.method} ${path})`;
  return `<h2>${heading}</h2>
<p><strong>${escapeHtml(title)}.</strong> ${escapeHtml(description)}</p>
${items.length === 0 ? "" : `<ul>${items.join("")}</ul>`}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
