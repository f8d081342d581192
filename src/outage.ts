/** Names of the errors that the MongoDB driver throws when the database does not answer. */
const unreachable =
  /^Mongo(Network|NetworkTimeout|ServerSelection|NotConnected|PoolCleared|WaitQueueTimeout|TopologyClosed)Error$/;

/** True where the error, or one of its causes, is that the database did not answer. The request itself may be right: it can be retried. */
export function isOutage(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (unreachable.test(cause.name)) return true;
    seen.add(cause);
  }
  return false;
}
