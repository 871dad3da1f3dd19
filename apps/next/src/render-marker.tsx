import { renderMarker } from "@evenbench/core";
import { enterInstance } from "./instance.ts";

/** Says which instance rendered the page, and that this rendering happened: see core's `renderMarker`. */
export function RenderMarker() {
  // Only what the running code sees can prove the pin: one value is what the build put here, the other the runtime's.
  const environment = `built for ${process.env.NODE_ENV}, running in ${Reflect.get(process.env, "NODE_ENV")}`;
  return <p hidden>{`${renderMarker(enterInstance())} ${environment}`}</p>;
}
