import type { Stores } from '#test/support/database.ts';

/** Every query about guesses at passwords. */
export async function askGuesses({ guesses }: Stores, now: Date): Promise<void> {
  const rules = { delayMs: () => 0, forgetMs: 1 };
  const taken = await guesses.take('someone', now, rules);
  await guesses.take('someone', now, rules);
  if ('count' in taken) await guesses.giveBack('someone', taken, now);
  await guesses.forget('someone');
}

/** Every query about passkeys. */
export async function askPasskeys({ passkeys }: Stores, now: Date): Promise<void> {
  await passkeys.ofUser('usr_a');
  await passkeys.hasAny('usr_a');
  await passkeys.count('usr_a');
  await passkeys.ownerOf('credential');
  await passkeys.use('credential', 0, now);
  await passkeys.use('credential', 1, now);
}

/** Every query about mails to accounts. */
export async function askAccountMails({ accountMails }: Stores, now: Date): Promise<void> {
  const email = 'a@example.com';
  await accountMails.add({ kind: 'reset', email }, now);
  const claimed = await accountMails.claim(1_000, new Date());
  await accountMails.nextDue();
  await accountMails.settle(claimed?.mailId ?? '', now);
  await accountMails.settle(claimed?.mailId ?? '', null);
  await accountMails.addToken('secret', { kind: 'reset', email, userId: 'usr_a', expiresAt: new Date(8e12) });
  await accountMails.findToken('secret', now);
  await accountMails.takeToken('secret');
  await accountMails.forgetTokens(email);
}
