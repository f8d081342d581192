import { own as ownOf } from '#src/contracts/own.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AccountAction, Accounts } from '#src/domain/ports/sessions.ts';
import type { AuditEntry, AuditLog } from '#src/stores/audit-log.ts';

/** Organization of records about people who belong to none: for the operator only. */
const noOrganization = '-';
/** Actor of refused sign-ins of addresses that nobody has: one for all, so that they take one record a minute. */
const unknownPerson = 'unknown';

export interface AccountAudit {
  readonly audit: Pick<AuditLog, 'count' | 'during' | 'note'>;
  /** Organizations of a user. */
  organizationIdsOf(userId: string): Promise<readonly string[]>;
  /** User with this address (lower case); null: there is none. */
  userIdOf(email: string): Promise<string | null>;
  /** User with this passkey, by its credential id; null: nobody. */
  passkeyOwner(credentialId: string): Promise<string | null>;
  /** Organization that invites this address; null: none. An invitation is found by its id for a confirmed address only. */
  invitedTo(invitee: Invitee, invitation: unknown): Promise<string | null>;
  /** Hears of refusals that could not be counted. */
  lost(error: unknown): void;
}

interface Invitee {
  readonly email: string;
  readonly isVerified: boolean;
}

interface Event {
  readonly userId: string;
  readonly action: string;
  readonly target: string;
  readonly ip: string | null;
  readonly detail?: AuditEntry['detail'];
}

/** A person whose address something else than their session proves: a link in a mail, or an invitation. */
interface Proven {
  readonly userId: string;
  readonly ip: string | null;
  readonly by: 'mail' | 'invitation';
}

/** Deeds about accounts that no session has to ask for. Each is announced before its work. */
export interface AccountDeeds {
  /** Sets a new password. `work` returns the number of sessions that it ended. */
  password(who: Proven, work: () => Promise<number>): Promise<void>;
  address(who: Proven, work: () => Promise<void>): Promise<void>;
  /** Creates an account. `by` is null for one that begins without a mail. */
  signUp<Result>(
    who: Invitee & { readonly invitation: unknown; readonly ip: string | null; readonly by: 'mail' | null },
    work: () => Promise<Result>,
  ): Promise<Result>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const codeOf = (error: unknown): string | null => (error instanceof AppError ? error.code : null);

/** One record for each organization of the user: each organization's admins see the account events of its members. */
async function entriesOf(parts: AccountAudit, { userId, ...told }: Event): Promise<AuditEntry[]> {
  const found = await parts.organizationIdsOf(userId);
  const organizationIds = found.length === 0 ? [noOrganization] : found;
  return organizationIds.map((organizationId) => ({ organizationId, actor: userId, detail: {}, ...told }));
}

/** Stores the start of a session before the session exists. */
export async function noteSession(
  parts: AccountAudit,
  userId: string,
  ip: string | null,
  by: 'passkey' | null,
): Promise<void> {
  const entries = await entriesOf(parts, { userId, action: 'session.start', target: userId, ip });
  await parts.audit.note(entries.map((entry) => (by === null ? entry : { ...entry, detail: { by } })));
}

/** Ways to audit one account event. */
function auditor(parts: AccountAudit) {
  /** Not awaited: the time of a response must not tell whether the account exists. */
  const refused = (userId: Promise<string | null>, action: string, ip: string | null): void => {
    const count = async (): Promise<void> => {
      const known = await userId;
      // Addresses that strangers type are stored nowhere: passwords are among them.
      const stranger = {
        organizationId: noOrganization,
        actor: unknownPerson,
        action,
        target: '',
        detail: {},
        ip: null,
      };
      const entries =
        known === null ? [stranger] : await entriesOf(parts, { userId: known, action, target: known, ip });
      for (const entry of entries) parts.audit.count(entry);
    };
    count().catch((error: unknown) => parts.lost(error));
  };
  return {
    async audited<Result>(
      event: Event,
      work: () => Promise<Result>,
      happened: (result: Result) => boolean = () => true,
    ): Promise<Result> {
      return parts.audit.during(await entriesOf(parts, event), async (deed) => {
        const result = await work();
        if (happened(result)) await deed.done();
        return result;
      });
    },
    /** Counts wrong passwords and limits that were reached. */
    async watched<Result>(
      who: () => Promise<string | null>,
      ip: string | null,
      work: () => Promise<Result>,
    ): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        const code = codeOf(error);
        if (code === 'request.rate_limited') refused(who(), 'limit.reached', ip);
        else if (code === 'auth.unauthorized' || code === 'request.invalid') refused(who(), 'session.refused', ip);
        throw error;
      }
    },
  };
}

/** Names of what a signed-in person changes. `two-factor/enable` changes nothing before its first code. */
const names: Readonly<Record<string, string>> = {
  'change-password': 'account.password',
  'two-factor/verify-totp': 'account.second_factor.on',
  'two-factor/disable': 'account.second_factor.off',
  'two-factor/generate-backup-codes': 'account.second_factor.codes',
  'passkey/verify-registration': 'account.passkey.add',
  'passkey/update-passkey': 'account.passkey.rename',
  'passkey/delete-passkey': 'account.passkey.remove',
};

const nameOf = (action: AccountAction): string | undefined => ownOf(names, action);

/** Audits sign-out, ended sessions and changes of passwords, and counts refused sign-ins. Source: docs/decisions/0090. */
export function auditAccounts<T extends Accounts>(accounts: T, parts: AccountAudit): T {
  const own = auditor(parts);
  const perform = accounts.perform.bind(accounts);

  return {
    ...accounts,
    async perform(action, body, call) {
      const ip = call.ip ?? null;
      if (action === 'sign-up/email') return perform(action, body, call);
      if (action === 'sign-in/email') {
        const email = textOf(body['email']).toLowerCase();
        return own.watched(
          () => parts.userIdOf(email),
          ip,
          () => perform(action, body, call),
        );
      }
      if (action === 'passkey/verify-authentication') {
        const { id } = body['response'] as { readonly id?: unknown };
        return own.watched(
          () => parts.passkeyOwner(textOf(id)),
          ip,
          () => perform(action, body, call),
        );
      }
      const session = action === 'get-session' ? null : await accounts.read(call.cookie);
      if (session === null)
        return action.startsWith('two-factor/')
          ? own.watched(
              async () => null,
              ip,
              () => perform(action, body, call),
            )
          : perform(action, body, call);
      const { userId, sessionId } = session;
      if (action === 'sign-out')
        return own.audited({ userId, action: 'session.end', target: sessionId, ip }, () => perform(action, body, call));
      const name = nameOf(action);
      const work = () => perform(action, body, call);
      return own.watched(
        async () => userId,
        ip,
        () =>
          name === undefined
            ? work()
            : own.audited({ userId, action: name, target: textOf(body['id']) || userId, ip }, work),
      );
    },
    async end(userId, sessionId) {
      const event = { userId, action: 'session.end', target: sessionId, ip: null };
      return own.audited(
        event,
        () => accounts.end(userId, sessionId),
        (ended) => ended,
      );
    },
    async endOthers(userId, keptSessionId) {
      const event = { userId, action: 'session.end_others', target: userId, ip: null };
      return own.audited(
        event,
        () => accounts.endOthers(userId, keptSessionId),
        (ended) => ended > 0,
      );
    },
    async reauthenticate(session, proof, call) {
      const work = () => accounts.reauthenticate(session, proof, call);
      return own.watched(async () => session.userId, call.ip ?? null, work);
    },
  };
}

export function createAccountDeeds(parts: AccountAudit): AccountDeeds {
  const own = auditor(parts);
  return {
    async password({ userId, ip, by }, work) {
      const event = { userId, target: userId, ip, detail: { by } };
      await own.audited({ ...event, action: 'account.password' }, () =>
        own.audited({ ...event, action: 'session.end_others' }, work, (ended) => ended > 0),
      );
    },
    address: ({ userId, ip, by }, work) =>
      own.audited({ userId, action: 'account.address', target: userId, ip, detail: { by } }, work),
    async signUp({ email, isVerified, invitation, ip, by }, work) {
      const organizationId = (await parts.invitedTo({ email, isVerified }, invitation)) ?? noOrganization;
      const detail = by === null ? {} : { by };
      const entry = { organizationId, actor: email, action: 'account.sign_up', target: email, detail, ip };
      return parts.audit.during(entry, async (deed) => {
        const result = await work();
        await deed.done();
        return result;
      });
    },
  };
}

/** Audits sign-ups that create an account at once. Belongs around the library: of what a mail has to confirm it sees nothing. */
export function auditSignUps<T extends Accounts>(accounts: T, deeds: Pick<AccountDeeds, 'signUp'>): T {
  const perform = accounts.perform.bind(accounts);
  return {
    ...accounts,
    async perform(action, body, call) {
      const work = () => perform(action, body, call);
      if (action !== 'sign-up/email') return work();
      const email = textOf(body['email']).toLowerCase();
      const invitation = body['invitationToken'];
      return deeds.signUp({ email, isVerified: false, invitation, ip: call.ip ?? null, by: null }, work);
    },
  };
}
