/** What a vantage, and a client, may be called: as file names, labels of Kubernetes and shells take it. The script has it, too. */
export const VANTAGE_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
