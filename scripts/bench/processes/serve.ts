/** A question from the process that started this one, and its answer. Fits the IPC channel of `fork`. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

export type Answer =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string };

type Handler = (input: never) => unknown;

const handlers = new Map<string, Handler>();
/** Asked before their handler was there: a process may answer one question while it still prepares for the next. */
const early: Question[] = [];

async function answer(handler: Handler, { id, input }: Question): Promise<void> {
  try {
    process.send?.({ id, output: await handler(input as never) } satisfies Answer);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.send?.({ id, error: text } satisfies Answer);
  }
}

function take(question: Question): void {
  const handler = handlers.get(question.name);
  if (handler === undefined) early.push(question);
  else void answer(handler, question);
}

/** Answers the parent's questions by name for as long as it lives. */
export function serve(more: Readonly<Record<string, Handler>>): void {
  if (handlers.size === 0) process.on('message', (message) => take(message as Question));
  for (const [name, handler] of Object.entries(more)) handlers.set(name, handler);
  for (const question of early.splice(0)) take(question);
}
