/** Names of vantages and clients: texts that file names, labels of Kubernetes and shells all take. */
export const VANTAGE_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
