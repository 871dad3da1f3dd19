import { type CaseManifest, describeBounds, type Parameter } from "@evenbench/core";

type ListedCase = Pick<CaseManifest, "id" | "path" | "title" | "description" | "parameters">;

export function listPage(cases: readonly ListedCase[], platform: string, label: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evenbench on ${escapeHtml(platform)}</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body>
<header>
<h1>Evenbench <small>on ${escapeHtml(platform)}</small></h1>
<p>${escapeHtml(label)}, ${cases.length} cases. <a href="/identity">Identity of this instance</a></p>
</header>
<main>
${cases.map(section).join("\n")}
</main>
</body>
</html>
`;
}

function section({ id, path, title, description, parameters }: ListedCase): string {
  const fields = Object.entries(parameters).map(([name, parameter]) => field(id, name, parameter));
  const form =
    fields.length === 0
      ? ""
      : `<form action="${path}">${fields.join("")}<button>Request ${id}</button></form>`;
  return `<article>
<h2><a href="${path}">${id}</a></h2>
<p><strong>${escapeHtml(title)}.</strong> ${escapeHtml(description)}</p>
${form}
</article>`;
}

function field(id: string, name: string, parameter: Parameter): string {
  const key = `${id}.${name}`;
  const attributes = `id="${key}" name="${name}" aria-describedby="${key}.help"`;
  const input =
    parameter.type === "integer"
      ? `<input type="number" ${attributes} min="${parameter.minimum}" max="${parameter.maximum}" value="${parameter.default}" required>`
      : `<select ${attributes}>${parameter.choices
          .map(
            (word) => `<option${word === parameter.default ? " selected" : ""}>${escapeHtml(word)}</option>`,
          )
          .join("")}</select>`;
  const help = `${parameter.description} (${describeBounds(parameter)})`.trim();
  return `<div><label for="${key}">${name}</label>${input}<small id="${key}.help">${escapeHtml(help)}</small></div>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const css = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #343b46); --soft: light-dark(#59616e, #a3adba); --link: light-dark(#0b57d0, #8ab4f8); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: light-dark(#fff, #14171c); color: light-dark(#1b1f26, #e7eaee); }
h1 { font-size: 1.5rem; margin: 0; } h1 small, small { color: var(--soft); font-weight: 400; }
h2 { font-size: 1.1rem; margin: 0; font-family: ui-monospace, monospace; }
a { color: var(--link); }
p { margin: .25rem 0; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
header { padding-bottom: 1rem; }
form { display: grid; gap: .5rem; margin-top: .75rem; }
form div { display: grid; grid-template-columns: 7rem 9rem 1fr; gap: .25rem .75rem; align-items: baseline; }
label { font-family: ui-monospace, monospace; }
input, select, button { font: inherit; min-width: 0; padding: .15rem .4rem; }
button { justify-self: start; padding: .15rem .9rem; }
@media (max-width: 36rem) { form div { grid-template-columns: 1fr; } }
`;
