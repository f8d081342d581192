import type { Family, Input, Reply, Row } from './families.ts';
import { Problem, problemOf } from './problem.ts';
import { rows } from './rows.gen.ts';

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
}

const rowOf = (family: Family, row: string): readonly [method: string, path: string] =>
  (rows[family] as Readonly<Record<string, readonly [string, string]>>)[row] ?? ['GET', '/'];

function urlOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const asked = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );
  return asked.size === 0 ? filled : `${filled}?${asked.toString()}`;
}

/** Address of a row, for links, downloads and streams. */
export function address<F extends Family, R extends Row<F>>(family: F, row: R, input: Input<F, R>): string {
  const [, path] = rowOf(family, row);
  return urlOf(path, input as AnyInput);
}

/** Calls a row of the dashboard API. Throws `Problem`. */
export async function call<F extends Family, R extends Row<F>>(
  family: F,
  row: R,
  input: Input<F, R>,
  signal?: AbortSignal,
): Promise<Reply<F, R>> {
  const [method, path] = rowOf(family, row);
  const { body } = input as AnyInput;
  const json = method === 'GET' ? null : JSON.stringify(body ?? {});
  let response: Response;
  try {
    response = await fetch(urlOf(path, input as AnyInput), {
      method,
      ...(signal === undefined ? {} : { signal }),
      ...(json === null ? {} : { body: json, headers: { 'content-type': 'application/json' } }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Problem(0, { detail: 'The server cannot be reached. Check your connection, then try again.' });
  }
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as Reply<F, R>;
}
