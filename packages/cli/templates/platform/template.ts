import { whyNoId } from "@evenbench/core";
import { defineTemplate } from "../../src/create/template.ts";

export default defineTemplate({
  parent: "apps",
  whyNoId: (id) => whyNoId(id, "Platform"),
  next: (id) => [
    `npm test -- apps/${id}`,
    "npm run bench -- preflight --app bundle   # proves that it does the same work as the other platforms",
    `npm run bench -- --target ${id} --target node`,
  ],
});
