import type { Collections } from '#src/stores/collections.ts';
import type { AccountMail, AccountToken } from '#src/domain/access/account-mail.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';

/** A mail that waits to be sent. */
export interface PendingMail {
  readonly mailId: string;
  readonly mail: AccountMail;
  readonly attempts: number;
}

/** A mail that could not be sent for so long is deleted. */
const keptMs = 2 * 86_400_000;

export function createAccountMailStore({
  accountMails,
  accountTokens,
}: Pick<Collections, 'accountMails' | 'accountTokens'>) {
  return {
    /** Durable on return. */
    async add(mail: AccountMail, now: Date): Promise<void> {
      const expiresAt = new Date(now.getTime() + keptMs);
      await accountMails.insertOne({ _id: newId('mail', now), mail, attempts: 0, dueAt: now, expiresAt });
    },
    /** Claims the oldest due mail for `leaseMs`, and raises its attempts. */
    async claim(leaseMs: number, now: Date): Promise<PendingMail | null> {
      const row = await accountMails.findOneAndUpdate(
        { dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      );
      return row === null ? null : { mailId: row._id, mail: row.mail, attempts: row.attempts };
    },
    /** `retryAt` null: the mail is sent, or never will be. */
    async settle(mailId: string, retryAt: Date | null): Promise<void> {
      if (retryAt === null) await accountMails.deleteOne({ _id: mailId });
      else await accountMails.updateOne({ _id: mailId }, { $set: { dueAt: retryAt } });
    },
    /** Time at which the next mail is due. */
    async nextDue(): Promise<Date | null> {
      const [row] = await accountMails
        .find({ dueAt: { $gt: new Date(0) } }, { projection: { dueAt: 1 } })
        .sort({ dueAt: 1 })
        .limit(1)
        .toArray();
      return row?.dueAt ?? null;
    },
    async addToken(secret: string, token: AccountToken): Promise<void> {
      const { expiresAt, ...grant } = token;
      await accountTokens.insertOne({ _id: hashSecret(secret), email: token.email, grant, expiresAt });
    },
    async findToken(secret: string, now: Date): Promise<AccountToken | null> {
      const row = await accountTokens.findOne({ _id: hashSecret(secret), expiresAt: { $gt: now } });
      return row === null ? null : { ...row.grant, expiresAt: row.expiresAt };
    },
    /** True for one caller only. */
    async takeToken(secret: string): Promise<boolean> {
      return (await accountTokens.deleteOne({ _id: hashSecret(secret) })).deletedCount === 1;
    },
    /** Ends all links that were sent to an address, except invitations. */
    async forgetTokens(email: string): Promise<void> {
      await accountTokens.deleteMany({ email, 'grant.kind': { $ne: 'invitation' } });
    },
  };
}

/** Mails about accounts that wait to be sent, and the tokens of those that were, by hash. Source: docs/decisions/0084. */
export type AccountMailStore = ReturnType<typeof createAccountMailStore>;
