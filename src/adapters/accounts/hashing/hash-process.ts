import type { HashRequest } from '#src/adapters/accounts/hashing/hash-thread.ts';
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { startDeadline } from '#src/adapters/threads/deadline.ts';
import { startChild, ThreadEndedError, type GuardedThread } from '#src/adapters/threads/guarded-thread.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Resident memory: two hashes take 64 MB beside Node itself. */
const memoryMb = 256;
const idleMs = 10_000;
/** A hash takes a fraction of a second. A process that takes longer, also to start on a busy machine, is taken for stuck. */
const longestMs = 30_000;

const unavailable = (detail: string, cause?: unknown): AppError =>
  new AppError('service.unavailable', detail, { retryAfterSeconds: 5, ...(cause !== undefined && { cause }) });

/**
 * Hashes passwords in a process of low priority, which starts at the first password and ends when it is idle. In this process, hashes would
 * take all threads that Node has for files, pictures and cryptography: every request would wait for them. A call fails with
 * `service.unavailable` when the process ends; the next call starts another one. Source: docs/decisions/0274.
 */
export function createHashProcess(stack: AsyncDisposableStack): PasswordHashing {
  const entry = new URL('hash-thread.ts', import.meta.url);
  let child: GuardedThread | null = null;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  const late = (): Error => unavailable('The password was not checked in time. Retry in a few seconds.');

  const call = async (request: HashRequest): Promise<unknown> => {
    clearTimeout(idle);
    if (child === null || child.ended) child = startChild(entry, 'passwords', { memoryMb });
    calls += 1;
    using deadline = startDeadline(longestMs, undefined, late);
    try {
      return await child.call('hash', request, deadline.signal);
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error;
      throw unavailable('The password could not be checked. Retry in a few seconds.', error);
    } finally {
      calls -= 1;
      if (calls === 0) idle = setTimeout(() => void child?.end(), idleMs).unref();
    }
  };
  stack.defer(async () => {
    clearTimeout(idle);
    await child?.end();
  });
  return {
    hash: async (password) => String(await call({ password, hash: null })),
    verify: async ({ hash, password }) => (await call({ password, hash })) === true,
    isOutdated: (hash) => scryptPasswords.isOutdated?.(hash) ?? false,
  };
}
