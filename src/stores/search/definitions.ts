import { setTimeout as pause } from 'node:timers/promises';
import { MongoServerError, type Collection, type Db, type Document } from 'mongodb';

export const textIndexName = 'documents_text';
export const vectorIndexName = 'documents_vector';

/** Vector lengths in the index: one index has one length for each of its fields. */
export interface VectorDimensions {
  readonly text: number;
  readonly image: number;
}

interface SearchIndexDefinition {
  readonly name: string;
  readonly type: 'search' | 'vectorSearch';
  readonly definition: Document;
}

/** Fields that both indexes filter by. */
const scopePaths = ['organizationId', 'projectId', 'visibility', 'apiKeyId', '_id'];

const english = { type: 'string', analyzer: 'lucene.english' };

const textIndex: SearchIndexDefinition = {
  name: textIndexName,
  type: 'search',
  definition: {
    mappings: {
      dynamic: false,
      fields: {
        title: english,
        description: english,
        ocrText: english,
        segmentationText: english,
        looseText: { type: 'string', analyzer: 'lucene.standard' },
        objectKey: { type: 'string' },
        ...Object.fromEntries(scopePaths.map((path) => [path, { type: 'token' }])),
      },
    },
  },
};

/** `flat` compares every vector that passes the filter, without a graph. Intended for many tenants of up to 10,000 vectors. */
const vectorField = (path: string, numDimensions: number): Document => ({
  type: 'vector',
  path,
  numDimensions,
  similarity: 'cosine',
  indexingMethod: 'flat',
});

const vectorIndex = ({ text, image }: VectorDimensions): SearchIndexDefinition => ({
  name: vectorIndexName,
  type: 'vectorSearch',
  definition: {
    fields: [
      vectorField('embedding.text.vector', text),
      vectorField('embedding.image.vector', image),
      ...[...scopePaths, 'embedding.text.label', 'embedding.image.label'].map((path) => ({ type: 'filter', path })),
    ],
  },
});

/** Checks that the wanted definition is part of the actual one: servers add defaults. */
function holds(present: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) && present.length === wanted.length && wanted.every((item, at) => holds(present[at], item))
    );
  if (typeof wanted !== 'object' || wanted === null) return present === wanted;
  if (typeof present !== 'object' || present === null) return false;
  return Object.entries(wanted).every(([key, value]) => holds((present as Document)[key], value));
}

const queryablePatienceMs = 30_000;
const queryablePauseMs = 500;
/** IndexAlreadyExists: another process created it a moment ago. */
const exists = 68;

async function found(records: Collection, name: string): Promise<Document | undefined> {
  const [index] = await records.listSearchIndexes(name).toArray();
  return index;
}

async function create(records: Collection, { name, type, definition }: SearchIndexDefinition): Promise<void> {
  try {
    await records.createSearchIndex({ name, type, definition });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== exists) throw error;
  }
}

/**
 * Creates missing search indexes and updates those with another definition. Atlas builds them afterwards: this waits up to half a minute,
 * and `check` of the search rejects until they are ready.
 */
export async function ensureSearchIndexes(db: Db, dimensions: VectorDimensions): Promise<void> {
  const known = await db.listCollections({ name: 'searchRecords' }).toArray();
  if (known.length === 0) await db.createCollection('searchRecords');
  const records = db.collection('searchRecords');
  const wanted = [textIndex, vectorIndex(dimensions)];
  for (const index of wanted) {
    const present = await found(records, index.name);
    if (present === undefined) await create(records, index);
    else if (!holds(present['latestDefinition'], index.definition))
      await records.updateSearchIndex(index.name, index.definition);
  }
  const deadline = Date.now() + queryablePatienceMs;
  while (
    Date.now() < deadline &&
    (
      await missingIndexes(
        records,
        wanted.map(({ name }) => name),
      )
    ).length > 0
  )
    await pause(queryablePauseMs);
}

/** Names of indexes that are not ready: a search in a missing index is empty, not an error. */
export async function missingIndexes(records: Collection, names: readonly string[]): Promise<string[]> {
  const indexes = await Promise.all(names.map((name) => found(records, name)));
  return names.filter((_, at) => indexes[at]?.['queryable'] !== true);
}
