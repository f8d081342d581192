/** Error names of the database driver when no server responds. */
const unreachable =
  /^Mongo(Network|NetworkTimeout|ServerSelection|NotConnected|PoolCleared|WaitQueueTimeout|TopologyClosed)Error$/;

/** True if the error or one of its causes is that the database did not respond, so the request itself may be valid. */
export function isOutage(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (unreachable.test(cause.name)) return true;
    seen.add(cause);
  }
  return false;
}
