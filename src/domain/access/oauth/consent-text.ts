import type { OAuthClient } from '#src/domain/access/oauth/records.ts';

const mostCharacters = 80;

/** What a client calls itself, as one line without marks that turn, hide or cover text; its id where nothing is left. */
export function plainName({ _id, name }: Pick<OAuthClient, '_id' | 'name'>): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ')
    // Marks that are stacked reach over the lines above and below.
    .replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim();
  const first = plain === '' ? _id : plain;
  const characters = Array.from(first);
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('')}…` : first;
}
