import { firstScopes, grantScopes, grantedScopes, type GrantScope, type Scope } from '#src/contracts/scopes.ts';
import type { ConsentRequest, OAuthClient } from '#src/domain/access/oauth/records.ts';

/** Lifetimes of a grant. `hour`: ends with its first access token, without a refresh token. */
export const lastings = ['hour', '30', '90', '365', 'always'] as const;
export type Lasting = (typeof lastings)[number];

/** The choices of a user on the consent page, or its initial values. */
export interface Choice {
  readonly projectIds: readonly string[];
  readonly scopes: readonly GrantScope[];
  readonly lasting: Lasting;
}

/** Sets of scopes that a button of the consent page selects. */
export const presets = {
  read: firstScopes,
  editor: grantScopes.filter((scope) => scope !== 'keys:manage'),
  full: grantScopes,
} as const satisfies Record<string, readonly GrantScope[]>;
export type Preset = keyof typeof presets;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Scopes that a user can grant: only their own. */
export function grantableWithin(own: ReadonlySet<Scope>): readonly GrantScope[] {
  return grantScopes.filter((scope) => own.has(scope));
}

/** Requested scopes with the scopes they imply, limited to grantable ones, in the order of the page. */
export function scopesWithin(wanted: readonly GrantScope[], grantable: readonly GrantScope[]): GrantScope[] {
  const all = grantedScopes(wanted.filter((scope) => grantable.includes(scope)));
  return grantable.filter((scope) => all.has(scope));
}

/** True if the scopes let a program manage credentials, which needs a recent sign-in. Source: docs/decisions/0086. */
export const managesAccess = (scopes: readonly GrantScope[]): boolean => scopes.includes('keys:manage');

/** Presets that select different scopes for a user with these grantable scopes. */
export function presetsWithin(grantable: readonly GrantScope[]): Preset[] {
  const sizes = new Set<number>();
  return (Object.keys(presets) as Preset[]).filter((name) => {
    const { length } = scopesWithin(presets[name], grantable);
    const isNew = !sizes.has(length);
    sizes.add(length);
    return isNew;
  });
}

/** Lifetimes to offer. A client without refresh tokens must ask again when its first token ends, so it gets `hour` only. */
export function lastingsFor({ grantTypes }: Pick<OAuthClient, 'grantTypes'>): readonly Lasting[] {
  return grantTypes.includes('refresh_token') ? lastings : ['hour'];
}

/** Initial choice: the requested scopes that the user can grant. */
export function firstChoice(
  request: Pick<ConsentRequest, 'scopes'>,
  client: Pick<OAuthClient, 'grantTypes'>,
  place: { readonly grantable: readonly GrantScope[]; readonly projectIds: readonly string[] },
): Choice {
  return {
    projectIds: place.projectIds,
    scopes: scopesWithin(request.scopes, place.grantable),
    lasting: lastingsFor(client).includes('90') ? '90' : 'hour',
  };
}

/** End of a grant; null: valid until revoked. */
export function endOf(lasting: Lasting, now: Date): Date | null {
  if (lasting === 'always') return null;
  return new Date(now.getTime() + (lasting === 'hour' ? hourMs : Number(lasting) * dayMs));
}
