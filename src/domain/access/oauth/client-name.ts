import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

const mostCharacters = 80;

/** Name of a client on one line, without characters that reverse, hide or overlay text; its id if nothing remains. */
export function plainName({ _id, name }: Pick<OAuthClient, '_id' | 'name'>): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ')
    // Stacked combining marks would overlap the lines above and below.
    .replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim();
  const first = plain === '' ? _id : plain;
  const characters = Array.from(first);
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('')}…` : first;
}
