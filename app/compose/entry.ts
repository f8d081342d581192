import { ConfigError } from '#src/config/env.ts';

/** Runs a program to its end. What whoever started it can mend is one line; anything else keeps its stack. Both end it with 1. */
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
