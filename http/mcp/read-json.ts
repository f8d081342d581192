import type { Request } from 'express';
import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

const maxDepth = 64;
/** Members of one object. The SDK copies and checks each several times. */
const maxMembers = 2_000;

const tooLarge = (): AppError =>
  new AppError('request.too_large', 'The JSON body is larger than 1 MiB. Send less at once.');

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
    // The rest is discarded, so that the client gets to read the response.
    request.off('data', take);
    request.resume();
    reject(tooLarge());
  };
  request.on('data', take);
  request.once('end', () => resolve(Buffer.concat(parts)));
  const breakOff = (): void => {
    if (!request.complete)
      reject(
        new AppError(
          'request.malformed',
          'The connection closed before the body was complete. Send the request again.',
        ),
      );
  };
  request.once('error', breakOff);
  request.once('close', breakOff);
  return promise;
}

/** Bounds the depth, since code here and in the SDK walks the value recursively. */
function checkDepth(root: unknown): void {
  let level: readonly unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new AppError('request.malformed', `The body is nested deeper than ${maxDepth} levels. Send a flatter one.`);
    level = level.flatMap((value) => {
      if (typeof value !== 'object' || value === null) return [];
      const members = Object.values(value) as unknown[];
      if (members.length > maxMembers && !Array.isArray(value))
        throw new AppError(
          'request.malformed',
          `An object of the body has more than ${maxMembers} members. Send fewer, or an array.`,
        );
      return members;
    });
  }
}

/** Characters of an id. Each message about a request repeats it, so a long one would multiply the traffic. */
const longestName = 200;
const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > longestName;

function checkNames(root: unknown): void {
  for (const message of Array.isArray(root) ? (root as unknown[]) : [root]) {
    const { id, params } = (message ?? {}) as {
      id?: unknown;
      params?: { _meta?: { progressToken?: unknown } | null } | null;
    };
    if (isLong(id) || isLong(params?._meta?.progressToken))
      throw new AppError(
        'request.malformed',
        `id and progressToken may have at most ${longestName} characters. Use shorter ones.`,
      );
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
 * Reads the JSON of a POST, at most 1 MiB; `undefined` if it is not JSON. Errors: `request.media_type`, before anything is read;
 * `request.too_large`; `request.malformed` for a value nested too deep, with too large objects or with ids that are too long.
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
