import { callerIdOf, type Principal } from '#src/domain/access/principal.ts';

/** Identifies the credential of streams. Another grant of the same user is another one. */
export function holderOf(principal: Principal): string {
  return `${principal.organizationId}\n${callerIdOf(principal)}`;
}

/** The caller of a session, with what it may reach. */
export interface SessionHolder {
  /** Person and program, or key. No other caller may use the session. */
  readonly name: string;
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  readonly scopes: ReadonlySet<string>;
}

export function sessionHolderOf(principal: Principal): SessionHolder {
  const { organizationId, actorId, grant, projectIds, scopes } = principal;
  const name = [organizationId, actorId, grant?.clientId ?? ''].join('\n');
  return { name, organizationId, projectIds, scopes };
}

/** True for the same holder, also with another grant, that may do all that it could before: subscriptions of the session rest on it. */
export function mayUse(caller: SessionHolder, { name, projectIds, scopes }: SessionHolder): boolean {
  const covers = (): boolean =>
    projectIds.every((id) => caller.projectIds.includes(id)) && [...scopes].every((scope) => caller.scopes.has(scope));
  return caller.name === name && covers();
}
