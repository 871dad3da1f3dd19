import { commandCode, html, type Markup } from "@evenbench/page";

/** Shows a command with a button that copies it. @param id its id on the page. */
export function copiedCommand(command: string, id: string): Markup {
  return html`${commandCode(command, id)} <button type="button" hidden data-copy="${id}">Copy</button>`;
}
