/** Entry point of the process that hashes passwords. */
import { scryptPasswords } from '#src/adapters/accounts/password-hashing.ts';
import { answerCalls } from '#src/adapters/threads/answer-calls.ts';

/** `hash` null: the password gets a new one. */
export interface HashRequest {
  readonly password: string;
  readonly hash: string | null;
}

answerCalls(({ password, hash }: HashRequest) =>
  hash === null ? scryptPasswords.hash(password) : scryptPasswords.verify({ hash, password }),
);
