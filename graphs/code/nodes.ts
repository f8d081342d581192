/** Entry point `inkgraph/nodes` of the package: the node types of the product, and the schemas of the channels that they write. */
export { agent } from '#graphs/nodes/agent.ts';
export { classify } from '#graphs/nodes/classify.ts';
export { describe } from '#graphs/nodes/describe.ts';
export { embedImage } from '#graphs/nodes/embed-image.ts';
export { embedText } from '#graphs/nodes/embed-text.ts';
export { emit } from '#graphs/nodes/emit.ts';
export { extract } from '#graphs/nodes/extract.ts';
export {
  DescriptionFacts,
  DocumentFacts,
  EmbeddingFacts,
  IndexedFacts,
  OcrFacts,
  PreprocessedFacts,
  SegmentationFacts,
  readFacts,
  stillThere,
} from '#graphs/nodes/facts.ts';
export { http } from '#graphs/nodes/http.ts';
export { index } from '#graphs/nodes/index.ts';
export { llm } from '#graphs/nodes/llm.ts';
export { loadImage } from '#graphs/nodes/load-image.ts';
export { ocr } from '#graphs/nodes/ocr.ts';
export { preprocess } from '#graphs/nodes/preprocess.ts';
export { review } from '#graphs/nodes/review.ts';
export { segment } from '#graphs/nodes/segment.ts';
export { transform } from '#graphs/nodes/transform.ts';
export { workflow } from '#graphs/nodes/workflow.ts';
