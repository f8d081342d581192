import { FindSimilarInput, SimilarDocuments } from '#src/contracts/resources/card.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';

/** Candidates by each vector for one that is shown: a document near by one of them may be far by the other. */
const candidatesFor = 3;

/** True for the same bytes, and for documents of which one was found to be a copy of the other, or both of a third. */
function areMarked(one: DocumentRecord, other: DocumentRecord): boolean {
  if (one.sha256 !== null && one.sha256 === other.sha256) return true;
  return (one.duplicateOf ?? one._id) === (other.duplicateOf ?? other._id);
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1_000) / 1_000);

export const findSimilarDocuments = defineTool({
  name: 'find_similar_documents',
  description: 'Documents that look like one, read like it, or both; near duplicates first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: FindSimilarInput,
  output: SimilarDocuments,
  async run({ deps, principal }: ToolContext<'documents' | 'search' | 'thumbnails'>, asked) {
    const { documentId, by, limit, projectId } = asked;
    const document = await requireDocument(deps, principal, documentId);
    const { organizationId } = principal;
    const found = await deps.search.similar({
      organizationId,
      projectIds: projectId === undefined ? principal.projectIds : [projectFor(principal, projectId)],
      ownOnly: projectId !== undefined,
      documentId,
      by: by === 'both' ? ['picture', 'text'] : [by],
      limit: limit * candidatesFor,
    });
    if (found === null || found.compared.length === 0)
      throw new AppError(
        'document.unread',
        `The document has no ${by === 'both' ? 'vector' : `vector of its ${by}`} yet. Run a workflow with the nodes embed and index on it, and ask again when the run has ended.`,
      );
    const hits = new Map(found.hits.map((hit) => [hit.documentId, hit]));
    const records = await deps.documents.findMany(principal, [...hits.keys()]);
    const documents = records.flatMap((record) => {
      const hit = hits.get(record._id);
      if (hit === undefined) return [];
      const known = [hit.picture, hit.text].filter((one) => one !== null);
      return [
        {
          ...presentDocument(deps, record),
          similarity: rounded(known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length)) ?? 0,
          pictureSimilarity: rounded(hit.picture),
          textSimilarity: rounded(hit.text),
          isNearDuplicate: areMarked(record, document),
        },
      ];
    });
    const sorted = documents.toSorted(
      (a, b) => Number(b.isNearDuplicate) - Number(a.isNearDuplicate) || b.similarity - a.similarity,
    );
    return { documents: sorted.slice(0, limit), compared: [...found.compared] };
  },
});
