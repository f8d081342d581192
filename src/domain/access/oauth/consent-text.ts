import type { OAuthClient } from '#src/domain/ports/oauth.ts';

const mostCharacters = 80;

/** What a client calls itself, as one line without marks that turn or hide text; its id where nothing is left. */
export function plainName({ _id, name }: Pick<OAuthClient, '_id' | 'name'>): string {
  const plain = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}]+/gu, ' ')
    .trim();
  const [first = ''] = [plain, _id].filter((text) => text !== '');
  const characters = Array.from(first);
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('')}…` : first;
}
