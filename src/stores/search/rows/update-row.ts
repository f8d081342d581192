import type { UpdateFilter } from 'mongodb';
import { identifierLimits, identifiersOf } from '#src/domain/documents/identifiers.ts';
import {
  derivedOf,
  searchRowOf,
  type SearchRecord,
  type SearchRow,
  type SearchUpdate,
} from '#src/stores/search/rows/row.ts';

const texts = ['title', 'description', 'ocrText', 'segmentationText'] as const;
const empty = { title: '', description: '', ocrText: '', segmentationText: '' } as const;
const vectors = ['text', 'image'] as const;
/** Fields that go where an update has no value for them. */
const optional = ['filename', 'recordText', 'copyKeys'] as const;

/** Projection of a row as it was before an update: what may stay, without vectors and looser spellings. */
export const formerFields = { 'embedding.text.vector': 0, 'embedding.image.vector': 0, looseText: 0 } as const;

type Change = UpdateFilter<SearchRow>;
type Fields = Readonly<Record<string, unknown>>;

const only = (fields: Fields, isTaken: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isTaken(name)));
const removed = (names: readonly string[]) =>
  names.length > 0 ? { $unset: Object.fromEntries(names.map((name) => [name, ''])) } : {};
const isLeft = (update: SearchUpdate, name: string): boolean =>
  texts.some((text) => text === name && update[text] === undefined);

/** The record of a new document: texts that the update leaves out are empty. */
function asNew(update: SearchUpdate): SearchRecord {
  const { text, image } = update.embeddings;
  return { ...empty, ...update, embeddings: { ...(text && { text }), ...(image && { image }) } };
}

/** Writes what the update has, and empty texts where the row is new. */
export function changeOf(update: SearchUpdate): Change {
  const { _id, embedding, ...row } = searchRowOf(asNew(update));
  const found: Fields = Object.fromEntries(Object.entries(embedding).map(([kind, one]) => [`embedding.${kind}`, one]));
  const hasVector = Object.keys(found).length > 0;
  return {
    $set: { ...only(row, (name) => !isLeft(update, name)), ...found },
    $setOnInsert: { ...only(row, (name) => isLeft(update, name)), ...(!hasVector && { embedding }) },
    ...removed(optional.filter((name) => row[name] === undefined)),
  } as Change;
}

/**
 * Writes what depends on the former row: fields that are worked out of all texts, where some of them stay, and vectors that go. Null: nothing
 * does.
 */
export function laterChangeOf(update: SearchUpdate, former: Omit<SearchRow, 'looseText'>): Change | null {
  const { image } = update.embeddings;
  const kept = only(former, (name) => isLeft(update, name));
  const picture = image === undefined ? former.embedding.image : image;
  const gone = vectors.filter((kind) => update.embeddings[kind] === null && former.embedding[kind] !== undefined);
  const isWhole = Object.values(kept).every((text) => text === '') && (image !== undefined || picture === undefined);
  if (isWhole && gone.length === 0) return null;
  const derived = derivedOf({ ...asNew(update), ...kept }, picture?.blockHash);
  return {
    $set: { ...derived, identifiers: identifiersOfBoth(update, former) },
    ...removed([...gone.map((kind) => `embedding.${kind}`), ...(derived.copyKeys === undefined ? ['copyKeys'] : [])]),
  } as Change;
}

/** Identifiers of the update, and those of the texts that it leaves. A description that stays has some that only its run knew. */
function identifiersOfBoth(update: SearchUpdate, former: Omit<SearchRow, 'looseText'>): string[] {
  const [left, replaced] = [true, false].map((isStaying) =>
    identifiersOf(texts.map((name) => (isLeft(update, name) === isStaying ? former[name] : '')).join('\n')),
  ) as [string[], string[]];
  const gone = new Set(replaced);
  const known = update.description === undefined ? former.identifiers.filter((one) => !gone.has(one)) : [];
  return [...new Set([...update.identifiers, ...left, ...known])].slice(0, identifierLimits.count);
}
