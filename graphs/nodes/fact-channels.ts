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

/** Schemas of the channels of built-in nodes by their usual names, to declare a missing channel. */
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

/** JSON Schema of a channel by name; empty if no built-in node uses the name. */
export function schemaOfChannel(name: string): Record<string, unknown> {
  const schema = Object.hasOwn(factSchemas, name) ? factSchemas[name] : undefined;
  if (schema === undefined) return {};
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}
