import { z } from 'zod';
import {
  DescriptionFacts,
  DocumentFacts,
  EmbeddingFacts,
  IndexedFacts,
  OcrFacts,
  PreprocessedFacts,
  SegmentationFacts,
} from '#graphs/nodes/facts.ts';

/** What the channels of the built-in nodes hold, by their usual names: so that a missing one can be declared right. */
const factSchemas: Readonly<Record<string, z.ZodType>> = {
  document: DocumentFacts,
  ocr: OcrFacts,
  description: DescriptionFacts,
  imageEmbedding: EmbeddingFacts,
  textEmbedding: EmbeddingFacts,
  indexed: IndexedFacts,
  preprocessed: PreprocessedFacts,
  segmentation: SegmentationFacts,
};

/** JSON Schema of a channel by its name; empty for a name that no built-in node has. */
export function schemaOfChannel(name: string): Record<string, unknown> {
  const schema = Object.hasOwn(factSchemas, name) ? factSchemas[name] : undefined;
  if (schema === undefined) return {};
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}
