import { describeEnvironment, enterInstance } from "@evenbench/bundle/framework";
import { renderMarker } from "@evenbench/core";

/** Says which instance rendered the page, and that this rendering happened: see core's `renderMarker`. */
export function RenderMarker() {
  return <p hidden>{`${renderMarker(enterInstance())} ${describeEnvironment(process.env.NODE_ENV)}`}</p>;
}
