/**
 * Milliseconds that this thread has computed since. Bounds on the cost of an algorithm are held against this clock: it stands still
 * while the machine does something else.
 */
export function cpuClock(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
