import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AnyId, QueryInteger } from '#src/contracts/fields.ts';

const cosine = z.number().min(-1).max(1).nullable();

/** A document that is like another. `similarity`: 1 for equal vectors. Source: docs/decisions/0174. */
export const SimilarDocument = Document.extend({
  similarity: z.number().min(-1).max(1).describe('Mean of the known ones'),
  pictureSimilarity: cosine.describe('Cosine of the pictures of the first pages; null: not among the nearest'),
  textSimilarity: cosine.describe('Cosine of the texts; null: not among the nearest'),
  isNearDuplicate: z.boolean().describe('Same bytes, or pictures that differ by little more than noise'),
}).meta({ id: 'SimilarDocument' });

export const SimilarQuery = z.strictObject({
  by: z.enum(['picture', 'text', 'both']).default('both').describe('Stored vectors to compare'),
  limit: QueryInteger(1, 50).default(10).describe('Most documents'),
  projectId: AnyId.optional().describe('Only documents of this project'),
});
export const FindSimilarInput = z.strictObject({ documentId: AnyId }).extend(SimilarQuery.shape);
export const SimilarDocuments = z.object({
  documents: z.array(SimilarDocument).describe('Near duplicates first, then by similarity'),
  compared: z.array(z.enum(['picture', 'text'])).describe('Vectors that the document has'),
});
