import { Problem, problemOf, unreachable } from './problem.ts';

/** Place and credential of a server. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  /** Times that a call is repeated at most. */
  readonly retries: number;
}

export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Fields of path, query and body in one object. */
export type AnyInput = Readonly<Record<string, unknown>>;
export type AnyRow = readonly [method: string, path: string, kind: 'json' | 'file' | 'events'];

const longestWaitSeconds = 60;

/** Waits. Throws the reason of `signal` when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Milliseconds before a repetition; null: the problem stays. */
function delayOf(problem: Problem, attempt: number, isSafe: boolean): number | null {
  const { status, retryAfterSeconds } = problem;
  if (status !== 429 && !(isSafe && (status === 0 || status === 502 || status === 503 || status === 504))) return null;
  if (retryAfterSeconds !== null && retryAfterSeconds > longestWaitSeconds) return null;
  // Several clients that failed together do not come back together.
  const spread = 0.5 + Math.random();
  return retryAfterSeconds === null ? 250 * 2 ** attempt * spread : retryAfterSeconds * 1_000 + 100 * spread;
}

/** Carries out `task` until it succeeds, as often as the connection allows. */
export async function retried<Result>(
  { retries }: Pick<Connection, 'retries'>,
  { isSafe, signal }: { readonly isSafe: boolean; readonly signal?: AbortSignal | undefined },
  task: (attempt: number) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await task(attempt);
    } catch (error) {
      const delay = error instanceof Problem && attempt < retries ? delayOf(error, attempt, isSafe) : null;
      if (delay === null) throw error;
      await pause(delay, signal);
    }
  }
}

/** `fetch` that throws a `Problem` for every failure but the caller's own abort. */
export async function send({ fetch }: Pick<Connection, 'fetch'>, url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw unreachable(url, error);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

function segment(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  // `.` and `..` would be resolved as folders.
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${name} is ${JSON.stringify(value)}: give an id`);
  return encodeURIComponent(text);
}

/** Lists have commas between their values, and objects are JSON. */
const queryText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);

/** Address and body of a call. */
function addressed([method, path]: AnyRow, input: AnyInput): { readonly path: string; readonly body: AnyInput } {
  const rest = { ...input };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    delete rest[name];
    return segment(name, input[name]);
  });
  if (method === 'POST' || method === 'PATCH') return { path: filled, body: rest };
  const asked = new URLSearchParams(
    Object.entries(rest).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === null ? [] : [[name, queryText(value)]],
    ),
  );
  return { path: asked.size === 0 ? filled : `${filled}?${asked.toString()}`, body: {} };
}

/** A repetition of these changes nothing. */
const isRepeatable = ([method, path]: AnyRow, input: AnyInput): boolean =>
  method === 'GET' || typeof input['idempotencyKey'] === 'string' || /\/uploads\/(presign|ack)$/.test(path);

/** Calls a row. Throws `Problem` after the repetitions that help. */
export async function request(
  connection: Connection,
  row: AnyRow,
  input: AnyInput,
  { signal, headers = {} }: CallOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const { path, body } = addressed(row, input);
  const [method] = row;
  const hasBody = method === 'POST' || method === 'PATCH';
  return retried(connection, { isSafe: isRepeatable(row, input), signal }, () =>
    send(connection, `${connection.baseUrl}${path}`, {
      method,
      headers: {
        'x-api-key': connection.apiKey,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(hasBody && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    }),
  );
}
