// vinext looks for it in the app's own folder.
export { config, proxy } from "@evenbench/app-next/proxy";
