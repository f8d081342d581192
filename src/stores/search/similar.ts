import type { Binary, Collection, Document } from 'mongodb';
import { cosineOf } from '#src/domain/documents/near-copies.ts';
import { lacksSearch, vectorIndexName } from '#src/stores/search/definitions.ts';
import { readable } from '#src/stores/search/retrievers.ts';
import { nearestOf, type Quantization } from '#src/stores/search/vector-form.ts';
import type { SearchRow } from '#src/stores/search/rows/row.ts';

export type SimilarBy = 'picture' | 'text';

export interface SimilarQuery {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** Excludes public documents of other projects. */
  readonly ownOnly?: boolean;
  readonly documentId: string;
  readonly by: readonly SimilarBy[];
  /** Most candidates by each. */
  readonly limit: number;
}

/** Cosine with the document's vector, -1..1; null where it was not among the nearest. */
export interface SimilarHit {
  readonly documentId: string;
  readonly picture: number | null;
  readonly text: number | null;
}

export interface Similar {
  /** Vectors that the document has, of those that were asked for. */
  readonly compared: readonly SimilarBy[];
  /** In no order, without the document itself. */
  readonly hits: readonly SimilarHit[];
}

const fields = { picture: 'image', text: 'text' } as const;
/** Rows that are compared one by one where the server has no search. */
const mostScanned = 2_000;

type Vectors = Pick<SearchRow, '_id' | 'embedding'>;
type Nearest = { readonly _id: string; readonly score: number };
type Vector = { readonly label: string; readonly vector: Binary };

/** Documents whose stored vectors are nearest to those of one document. Each query filters by tenant inside of the index. */
export function createSimilar(searchRecords: Collection<SearchRow>, quantization?: Quantization) {
  const scan = async (query: SimilarQuery, by: SimilarBy, { label, vector }: Vector): Promise<Nearest[]> => {
    const path = `embedding.${fields[by]}`;
    const rows = await searchRecords
      .find({ $and: [...readable({ scope: query }), { [`${path}.label`]: label }] } as Document, {
        projection: { [`${path}.vector`]: 1 },
      })
      .limit(mostScanned)
      .toArray();
    const wanted = vector.toFloat32Array();
    const scored = (rows as Vectors[]).flatMap(({ _id, embedding }): Nearest[] => {
      const found = embedding[fields[by]]?.vector;
      return found === undefined ? [] : [{ _id, score: cosineOf(wanted, found.toFloat32Array()) }];
    });
    return scored.toSorted((a, b) => b.score - a.score).slice(0, query.limit + 1);
  };

  const nearest = async (query: SimilarQuery, by: SimilarBy, one: Vector): Promise<Nearest[]> => {
    const path = `embedding.${fields[by]}`;
    try {
      const rows = await searchRecords
        .aggregate<Nearest>([
          {
            $vectorSearch: {
              index: vectorIndexName,
              path: `${path}.vector`,
              queryVector: one.vector,
              filter: { $and: [...readable({ scope: query }), { [`${path}.label`]: { $eq: one.label } }] },
              // The document itself is the nearest one.
              ...nearestOf(query.limit + 1, quantization),
            },
          },
          { $project: { score: { $meta: 'vectorSearchScore' } } },
        ])
        .toArray();
      // Atlas returns (1 + cosine) / 2.
      return rows.map((row) => ({ ...row, score: 2 * row.score - 1 }));
    } catch (error) {
      if (!lacksSearch(error)) throw error;
      return scan(query, by, one);
    }
  };

  /** null: the document is not indexed, or the tenant may not read it. */
  return async (query: SimilarQuery): Promise<Similar | null> => {
    const scope = { organizationId: query.organizationId, projectIds: query.projectIds };
    const own = (await searchRecords.findOne(
      { $and: [{ _id: query.documentId }, ...readable({ scope })] } as Document,
      {
        projection: { embedding: 1 },
      },
    )) as Vectors | null;
    if (own === null) return null;
    const vectors = query.by.flatMap((by) => {
      const one = own.embedding[fields[by]];
      return one === undefined ? [] : [{ by, one }];
    });
    const found = await Promise.all(vectors.map(async ({ by, one }) => ({ by, rows: await nearest(query, by, one) })));
    const hits = new Map<string, SimilarHit>();
    for (const { by, rows } of found)
      for (const { _id: documentId, score } of rows) {
        if (documentId === query.documentId) continue;
        const known = hits.get(documentId) ?? { documentId, picture: null, text: null };
        hits.set(documentId, { ...known, [by]: score });
      }
    return {
      compared: vectors.map(({ by }) => by),
      hits: [...hits.values()],
    };
  };
}
