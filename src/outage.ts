/** Error names of the database driver when no server responds. */
const unreachable =
  /^Mongo(Network|NetworkTimeout|ServerSelection|NotConnected|PoolCleared|WaitQueueTimeout|TopologyClosed)Error$/;

/**
 * Error codes of a MongoDB server that has no primary, stops, or gave an operation up for lack of time. The driver retries most of them once
 * by itself. Source: retryable errors of https://github.com/mongodb/specifications, and MaxTimeMSExpired.
 */
const passing: ReadonlySet<unknown> = new Set([
  6, 7, 50, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

const isPassing = (error: Error): boolean =>
  unreachable.test(error.name) || (error.name.startsWith('Mongo') && 'code' in error && passing.has(error.code));

/** Errors that led to the error. A bulk write of the driver keeps the error that ended it as its response. */
function causesOf(error: Error): readonly unknown[] {
  return [error.cause, ...('errorResponse' in error ? [error.errorResponse] : [])];
}

/** True if the error or one of its causes is that the database did not respond in time, so the request itself may be valid. */
export function isOutage(error: unknown): boolean {
  const seen = new Set<unknown>();
  const open = [error];
  for (let cause = open.pop(); cause !== undefined; cause = open.pop()) {
    if (!(cause instanceof Error) || seen.has(cause)) continue;
    if (isPassing(cause)) return true;
    seen.add(cause);
    open.push(...causesOf(cause));
  }
  return false;
}
