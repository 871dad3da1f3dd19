/** As file names, labels of Kubernetes and shells take it. */
export const VANTAGE_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
