/** Names of what the database driver throws when nobody answers; the driver itself is known to its adapter only. */
const unreachable =
  /^Mongo(Network|NetworkTimeout|ServerSelection|NotConnected|PoolCleared|WaitQueueTimeout|TopologyClosed)Error$/;

/** Whether an error, or what caused it, is that the database did not answer: nothing was wrong with what was asked. */
export function isOutage(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (unreachable.test(cause.name)) return true;
    seen.add(cause);
  }
  return false;
}
