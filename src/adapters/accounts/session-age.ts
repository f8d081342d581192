import type { Accounts } from '#src/domain/ports/sessions.ts';

/** Age at which a session ends, however much it is used. Without use it ends after seven days. Source: docs/decisions/0034. */
const longestMs = 30 * 86_400_000;

/** Ends sessions that are too old when they are used. */
export function endOldSessions<T extends Accounts>(accounts: T): T {
  const perform = accounts.perform.bind(accounts);
  const read: Accounts['read'] = async (cookie) => {
    const session = await accounts.read(cookie);
    if (session === null || Date.now() - session.signedInAt.getTime() < longestMs) return session;
    await accounts.end(session.userId, session.sessionId);
    return null;
  };
  return {
    ...accounts,
    read,
    async perform(action, body, call) {
      // The only action that prolongs a session.
      if (action === 'get-session' && (await read(call.cookie)) === null) return { body: null, cookies: [] };
      return perform(action, body, call);
    },
  };
}
