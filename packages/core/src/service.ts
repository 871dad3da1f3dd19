/**
 * A program beside a platform that cases talk to, such as "memcached". The id is the name of its folder in
 * packages/host/src/services.
 */
export type ServiceId = string;

/** Where services are, as "host:port", by id. */
export type ServiceAddresses = Readonly<Record<ServiceId, string>>;

/**
 * The variable of the environment by which whoever serves a target says where a service is:
 * EVENBENCH_SERVICE_MEMCACHED.
 */
export function serviceVariable(id: ServiceId): string {
  return `EVENBENCH_SERVICE_${id.toUpperCase().replaceAll("-", "_")}`;
}
