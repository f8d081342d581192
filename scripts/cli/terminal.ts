import type { Readable } from 'node:stream';

/** The surroundings of a command: those of its process, or those that a test gives it. */
export interface Terminal {
  /** Arguments after the name of the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** A person watches `err`: lines may be written over. */
  readonly isWatched?: boolean;
  /** Ends a command that otherwise goes on until Ctrl-C. */
  readonly stop?: AbortSignal;
}

/** A command. It resolves to its exit code, 0 by default, and throws when it cannot be carried out. */
export type Program = (terminal: Terminal) => Promise<void | number>;

/** A reader such as `head` closes the pipe before the end: nobody reads the rest, and it is no failure. */
function mayClose(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

export function processTerminal(): Terminal {
  const { argv, env, stdin, stdout, stderr } = process;
  mayClose(stdout);
  mayClose(stderr);
  return {
    args: argv.slice(2),
    env,
    input: stdin,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isWatched: stderr.isTTY,
  };
}
