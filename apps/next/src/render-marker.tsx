import { describeRendering } from "@evenbench/bundle/framework";

/** The marker by which the client finds which instance rendered a page, and that it did so for its request. */
export function RenderMarker() {
  return <p hidden>{describeRendering(process.env.NODE_ENV)}</p>;
}
