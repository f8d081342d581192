import { AppError } from '#src/domain/app-error.ts';

/** Most characters of what an error of a node says. */
const messageLength = 2_000;
const stackLength = 4_000;

/**
 * An error for a node of one's own to throw: people and agents read the message and `data`, which must be JSON, in the step, and the message
 * in the run. Both can quote the document, so they are shown as untrusted text. `retry: false`: another attempt would fail as well. Source:
 * `code.errors`, docs/decisions/0285.
 */
export class NodeError extends AppError {
  readonly retry: boolean;

  constructor(
    message: string,
    data?: Readonly<Record<string, unknown>>,
    { retry = true, cause }: { readonly retry?: boolean; readonly cause?: unknown } = {},
  ) {
    super('run.node_failed', message, { ...(data && { data: asJson(data) }), ...(cause !== undefined && { cause }) });
    this.retry = retry;
  }
}

/** Name and message of anything that code throws. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return `${thrown.name}: ${[thrown.message, ...thrown.errors.map(wordsOf)].filter((text) => text !== '').join('; ')}`;
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : `${thrown.name}: ${thrown.message}`;
  return typeof thrown === 'string' ? thrown : 'it threw something other than an Error';
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;

/** Without control characters that a terminal or a log would obey; line breaks and tabs stay. */
const plain = (text: string): string => text.toWellFormed().replaceAll(/(?!\s)\p{Cc}/gu, ' ');

const asJson = (data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(data)) as Readonly<Record<string, unknown>>;

/** Stack of an error that code threw; undefined without one. */
export function stackOf(thrown: unknown, redact: ((text: string) => string) | null): string | undefined {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return undefined;
  return cut(plain(redact?.(thrown.stack) ?? thrown.stack), stackLength);
}

/**
 * An error of a node's own code with its words. `redact` removes secrets before anything is cut: half a secret is not recognized. Causes and
 * data are logged, so they are left out where they could hold one.
 */
export function nodeErrorOf(thrown: unknown, nodeId: string, redact: ((text: string) => string) | null): NodeError {
  const isNodeError = thrown instanceof NodeError;
  const said = isNodeError ? thrown.detail : `Node "${nodeId}" failed: ${wordsOf(thrown)}`;
  const shown = cut(plain(redact?.(said) ?? said), messageLength);
  const cause = redact === null ? { cause: thrown } : {};
  return isNodeError
    ? new NodeError(shown, redact === null ? thrown.data : undefined, { retry: thrown.retry, ...cause })
    : new NodeError(shown, undefined, cause);
}
