import { ConfigError } from '#src/config/env.ts';

/** Runs a program to its end. An error that the operator can fix is printed as one line; any other keeps its stack. Both exit with 1. */
export async function runProgram(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const mendable = error instanceof ConfigError;
    process.stderr.write(
      `inkgraph: ${mendable ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
