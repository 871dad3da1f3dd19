import { manifestsOf, type RoutedHandler, referenceCasesOf } from "@evenbench/bundle/framework";
import nextApi from "./next-api.ts";
import { pages } from "./pages.ts";

export const handlers: readonly RoutedHandler[] = [
  ...referenceCasesOf("next"),
  { id: "next-api", path: "/next-api", definition: nextApi },
];

export const manifests = manifestsOf(handlers, pages);
