import { whyNoId } from "@evenbench/core";
import { defineTemplate } from "../../src/create/template.ts";

export default defineTemplate({
  parent: "apps",
  whyNoId: (id) => whyNoId(id, "App"),
  next: (id) => [
    `npm test -- apps/${id}`,
    `npm run bench -- preflight --app ${id}   # prints the golden values to confirm`,
    `npm run bench -- --app ${id}`,
    "# docs/adding-a-framework.md: how a framework takes the place of what is in src/",
  ],
});
