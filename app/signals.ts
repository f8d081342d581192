const signals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves with the name of the first signal. The second ends the process immediately. */
export function untilSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of signals) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130));
      resolve(signal);
    });
  }
  return promise;
}
