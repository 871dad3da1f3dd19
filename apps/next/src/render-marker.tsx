import { describeRendering } from "@evenbench/bundle/framework";

/** Says which instance rendered the page, and that this rendering happened. */
export function RenderMarker() {
  return <p hidden>{describeRendering(process.env.NODE_ENV)}</p>;
}
