import { createHashProcess } from '#src/adapters/accounts/hashing/hash-process.ts';
import { PasswordQueue } from '#src/adapters/accounts/hashing/password-queue.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { Paced } from '#src/concurrency/paced.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Two, so that one slow hash delays no other caller. */
const atOnce = 2;
/** About three seconds of hashing. */
const mostWaiting = 16;
const waitMs = 10_000;
const logEveryMs = 60_000;

/** Hashes passwords in turn, outside of this process. `passwords` replaces the hashing. */
export function createPasswordQueue(
  { passwords, logger }: { readonly passwords?: PasswordHashing | undefined; readonly logger: Logger },
  stack: AsyncDisposableStack,
): PasswordQueue {
  let refused = 0;
  const log = new Paced<{ readonly refused: number }>(logEveryMs, (sum) =>
    logger.warn(sum, 'too many passwords to hash: sign-ins were refused since the start'),
  );
  stack.defer(() => log.end());
  const onRefused = (): void => {
    refused += 1;
    log.add({ refused });
  };
  return new PasswordQueue(passwords ?? createHashProcess(stack), { atOnce, mostWaiting, waitMs, onRefused });
}
