import { createClient, Problem, type Client } from 'inkgraph/client';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

/** Options that every command takes. */
export const commonOptions = {
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Rows of these options, for the help of each command. */
export const commonRows = [
  ['--url <url>', 'address of the server; default: BASE_URL, or http://127.0.0.1:3000'],
  ['--key <ink_svc_...>', 'service key; default: SERVICE_KEY, which other users of the machine do not see'],
  ['--json', 'JSON instead of text'],
] as const;

/** Sets BASE_URL and SERVICE_KEY for the service on this machine. */
export const setVariables = 'eval "$(npx inkgraph seed --env)"';

/** A client of the server that flags or environment name. */
export function connected(
  { env }: Terminal,
  { url, key }: { url?: string | undefined; key?: string | undefined },
): Client {
  const baseUrl = url ?? env['BASE_URL'] ?? 'http://127.0.0.1:3000';
  const apiKey = key ?? env['SERVICE_KEY'] ?? '';
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`--url ${baseUrl} is no address. Give one such as https://inkgraph.example.com.`);
  if (apiKey === '') throw new UsageError(`There is no key. Set SERVICE_KEY, or run: ${setVariables}`);
  if (!apiKey.startsWith('ink_svc_'))
    throw new UsageError('The key is no service key. Give one that begins with ink_svc_.');
  return createClient({ baseUrl, apiKey, retries: 6 });
}

/** Text of a document or a model on a terminal: control characters could move the cursor. */
export const plain = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '');

/** An error of the server in one line. */
export const lineOf = (error: unknown): string =>
  plain(error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');

/** Errors of the server are for the person at the terminal, not for the developer. */
export async function explained<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof Problem) throw new UsageError(lineOf(error), { cause: error });
    throw error;
  });
}
