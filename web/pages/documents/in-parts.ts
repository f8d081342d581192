import type { Input } from '../../api/families.ts';

export type Filter = NonNullable<Input<'documents', 'runMany'>['body']['filter']>;

/** Documents that an action is for: named ones, or all that match a filter. */
export type Chosen = { readonly documentIds: readonly string[] } | { readonly filter: Filter };

/** Ids in parts of `size`. */
export const partsOf = (ids: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));

/** Makes calls one after the other, each for as many documents as the server takes: `size` named ones. */
export async function inParts(
  chosen: Chosen,
  size: number,
  each: (
    part: { documentIds: string[] } | { filter: Filter; cursor?: string },
  ) => Promise<{ readonly nextCursor?: string | null | undefined }>,
): Promise<void> {
  if ('documentIds' in chosen) {
    for (const documentIds of partsOf(chosen.documentIds, size)) await each({ documentIds });
    return;
  }
  const { filter } = chosen;
  let { nextCursor: cursor } = await each({ filter });
  while (typeof cursor === 'string') ({ nextCursor: cursor } = await each({ filter, cursor }));
}
