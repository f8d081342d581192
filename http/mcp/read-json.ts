import type { Request } from 'express';
import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

const maxDepth = 64;

const tooLarge = (): AppError => new AppError('request.too_large', 'The JSON body may have at most 1 MiB.');

function readBounded(request: Request): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= limits.jsonBodyBytes) {
      parts.push(part);
      return;
    }
    // What is still to come is let go, so that the client gets to read its answer.
    request.off('data', take);
    request.resume();
    reject(tooLarge());
  };
  request.on('data', take);
  request.once('end', () => resolve(Buffer.concat(parts)));
  const breakOff = (): void => {
    if (!request.complete) reject(new AppError('request.malformed', 'The body broke off.'));
  };
  request.once('error', breakOff);
  request.once('close', breakOff);
  return promise;
}

/** What walks the value later, here and in the SDK, does so recursively. */
function checkDepth(root: unknown): void {
  let level: readonly unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw new AppError('request.malformed', `The body is nested deeper than ${maxDepth} levels.`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
}

/** Characters of what is said again with each message about a request: a long one would make much of little. */
const longestName = 200;
const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > longestName;

function checkNames(root: unknown): void {
  for (const message of Array.isArray(root) ? (root as unknown[]) : [root]) {
    const { id, params } = (message ?? {}) as {
      id?: unknown;
      params?: { _meta?: { progressToken?: unknown } | null } | null;
    };
    if (isLong(id) || isLong(params?._meta?.progressToken))
      throw new AppError('request.malformed', `id and progressToken may have at most ${longestName} characters.`);
  }
}

function parsed(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The JSON of a POST, at most 1 MiB; `undefined` where it is not JSON at all. Errors: `request.media_type`, before anything is
 * read, `request.too_large`, and `request.malformed` for one nested too deep or with names that are too long.
 */
export async function readJson(request: Request): Promise<{ value: unknown } | undefined> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (request.is('application/json') !== 'application/json' || encoding !== 'identity')
    throw new AppError('request.media_type', 'Send Content-Type: application/json, without Content-Encoding.');
  if (Number(request.headers['content-length'] ?? 0) > limits.jsonBodyBytes) throw tooLarge();
  const json = parsed(await readBounded(request));
  if (json === undefined) return undefined;
  checkDepth(json.value);
  checkNames(json.value);
  return json;
}
