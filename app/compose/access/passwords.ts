import { createHashProcess } from '#src/adapters/accounts/hashing/hash-process.ts';
import { PasswordQueue } from '#src/adapters/accounts/hashing/password-queue.ts';
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { Paced } from '#src/concurrency/paced.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Two, so that one slow hash delays no other caller. */
const atOnce = 2;
/** About three seconds of hashing. */
const mostWaiting = 16;
const waitMs = 10_000;
const logEveryMs = 60_000;

interface PasswordParts {
  readonly config: Pick<Config, 'services'>;
  /** Replaces the hashing. */
  readonly passwords?: PasswordHashing | undefined;
  readonly logger: Logger;
}

/** Hashes passwords in turn, outside of this process. Commands hash in theirs: they answer nobody else. */
export function createPasswordQueue(
  { config, passwords, logger }: PasswordParts,
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
  const usual = () => (config.services.size === 0 ? scryptPasswords : createHashProcess(stack));
  return new PasswordQueue(passwords ?? usual(), { atOnce, mostWaiting, waitMs, onRefused });
}
