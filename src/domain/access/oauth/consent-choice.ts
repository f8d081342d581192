import { firstScopes, grantScopes, grantedScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { scopesOfRole, type Role } from '#src/domain/access/role.ts';
import type { ConsentRequest, OAuthClient } from '#src/domain/access/oauth/records.ts';

/** How long a grant stands. `hour`: until its first token ends, without another one. */
export const lastings = ['hour', '30', '90', '365', 'always'] as const;
export type Lasting = (typeof lastings)[number];

/** What a person chose, or would be offered at first. */
export interface Choice {
  readonly projectIds: readonly string[];
  readonly scopes: readonly GrantScope[];
  readonly lasting: Lasting;
}

/** Sets of scopes by one press of a button. */
export const presets = {
  read: firstScopes,
  editor: grantScopes.filter((scope) => scope !== 'keys:manage'),
  full: grantScopes,
} as const satisfies Record<string, readonly GrantScope[]>;
export type Preset = keyof typeof presets;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Nobody gives what they lack. */
export function grantableScopes(role: Role): readonly GrantScope[] {
  const own = scopesOfRole(role);
  return grantScopes.filter((scope) => own.has(scope));
}

/** With what they imply, in the order of the page, and of those that may be given. */
export function scopesWithin(wanted: readonly GrantScope[], grantable: readonly GrantScope[]): GrantScope[] {
  const all = grantedScopes(wanted.filter((scope) => grantable.includes(scope)));
  return grantable.filter((scope) => all.has(scope));
}

/** Presets that make a difference for somebody who may give these. */
export function presetsWithin(grantable: readonly GrantScope[]): Preset[] {
  const sizes = new Set<number>();
  return (Object.keys(presets) as Preset[]).filter((name) => {
    const { length } = scopesWithin(presets[name], grantable);
    const isNew = !sizes.has(length);
    sizes.add(length);
    return isNew;
  });
}

/** A client that cannot refresh has to ask again when its first token ends, whatever is chosen. */
export function lastingsFor({ grantTypes }: Pick<OAuthClient, 'grantTypes'>): readonly Lasting[] {
  return grantTypes.includes('refresh_token') ? lastings : ['hour'];
}

/** What is offered at first: what was asked for, as far as it can be given. */
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

/** null: until it is revoked. */
export function endOf(lasting: Lasting, now: Date): Date | null {
  if (lasting === 'always') return null;
  return new Date(now.getTime() + (lasting === 'hour' ? hourMs : Number(lasting) * dayMs));
}
