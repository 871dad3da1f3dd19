import { describeRendering } from "@evenbench/bundle/framework";

export function RenderMarker() {
  return <p hidden>{describeRendering(process.env.NODE_ENV)}</p>;
}
