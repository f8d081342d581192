import type { z } from 'zod';
import type { Client, ConnectedApp } from '#src/contracts/organization/app.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import type { OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ProjectRecord } from '#src/domain/access/organization.ts';
import type { MemberRecord } from '#src/domain/access/member.ts';

/** Records that grants name by id. */
export interface Names {
  readonly projects: readonly ProjectRecord[];
  readonly members: readonly MemberRecord[];
}

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

function projectsOf({ projectIds }: Pick<OAuthGrant, 'projectIds'>, projects: readonly ProjectRecord[]) {
  const granted = new Set(projectIds);
  return projects.filter(({ _id }) => granted.has(_id)).map(({ _id: id, name }) => ({ id, name }));
}

/** Lists the fields one by one, so that a field added to the record later is not published by accident. */
export function presentApp(grant: OAuthGrant, { projects, members }: Names, you: string): z.input<typeof ConnectedApp> {
  const { _id: id, clientId, clientName, redirectHost, userId, scopes } = grant;
  const member = members.find((one) => one.userId === userId);
  return {
    id,
    clientId,
    name: plainName({ _id: clientId, name: clientName }),
    redirectHost,
    user: { id: userId, name: member?.name ?? '', email: member?.email ?? '' },
    isYours: userId === you,
    projects: projectsOf(grant, projects),
    scopes: [...scopes],
    createdAt: grant.createdAt.toISOString(),
    lastUsedAt: time(grant.lastUsedAt),
    expiresAt: time(grant.expiresAt),
  };
}

export function presentClient(
  { _id: clientId, name, createdAt, lastUsedAt }: OAuthClient,
  grant: OAuthGrant,
  projects: readonly ProjectRecord[],
): z.input<typeof Client> {
  return {
    clientId,
    name,
    projects: projectsOf(grant, projects),
    scopes: [...grant.scopes],
    createdBy: grant.userId,
    createdAt: createdAt.toISOString(),
    lastUsedAt: time(grant.lastUsedAt ?? lastUsedAt),
    expiresAt: time(grant.expiresAt),
  };
}

/** Same error for an unknown, disconnected or foreign grant: a different one would reveal which ids exist. */
export const missingApp = (): AppError =>
  new AppError('app.not_found', 'You have no connected app with this id. Take an id from the list of connected apps.', {
    errors: [{ pointer: '/appId', code: 'not_found', message: 'take an id from the list of connected apps' }],
  });

/** True while the grant still gives access. */
export const isLive = ({ revokedAt, expiresAt }: OAuthGrant, now: Date): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);
