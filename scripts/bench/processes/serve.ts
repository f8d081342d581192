/** A question from the process that started this one, and its answer. Fits the IPC channel of `fork`. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

export type Answer = { readonly id: number; readonly output: unknown } | { readonly id: number; readonly error: string };

type Handler = (input: never) => unknown;

/**
 * Answers questions by name for as long as the parent lives. Names without a handler are left to other listeners of this process.
 */
export function serve(handlers: Readonly<Record<string, Handler>>): void {
  process.on('message', (message) => {
    const { id, name, input } = message as Question;
    const handler = handlers[name];
    if (handler === undefined) return;
    const answer = async (): Promise<Answer> => {
      try {
        return { id, output: await handler(input as never) };
      } catch (error) {
        return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    };
    void answer().then((reply) => process.send?.(reply));
  });
}
