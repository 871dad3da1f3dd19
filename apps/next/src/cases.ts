import { floorsOf, manifestsOf, type RoutedHandler } from "@evenbench/framework";
import nextApi from "./next-api.ts";
import { pages } from "./pages.ts";

export const handlers: readonly RoutedHandler[] = [
  ...floorsOf("next"),
  { id: "next-api", path: "/next-api", definition: nextApi },
];

export const manifests = manifestsOf(handlers, pages);
