import { pageContent } from "../../lib/server/page-content.ts";

export const load = pageContent;
