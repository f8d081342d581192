import { llm } from '#graphs/nodes/llm.ts';
import { agent } from '#graphs/nodes/agent.ts';
import { classify } from '#graphs/nodes/classify.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { describe } from '#graphs/nodes/describe.ts';
import { embedImage } from '#graphs/nodes/embed-image.ts';
import { embedText } from '#graphs/nodes/embed-text.ts';
import { emit } from '#graphs/nodes/emit.ts';
import { http } from '#graphs/nodes/http.ts';
import { index } from '#graphs/nodes/index.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';
import { preprocess } from '#graphs/nodes/preprocess.ts';
import { segment } from '#graphs/nodes/segment.ts';
import { review } from '#graphs/nodes/review.ts';
import { transform } from '#graphs/nodes/transform.ts';
import { workflow } from '#graphs/nodes/workflow.ts';
import type { NodeDefinition } from '#graphs/define.ts';

/** Node types that a graph can use. */
export interface Catalog {
  readonly definitions: readonly NodeDefinition[];
  /** Default of `version`: the newest. */
  find(type: string, version?: number): NodeDefinition | undefined;
}

export function catalogOf(definitions: readonly NodeDefinition[]): Catalog {
  return {
    definitions,
    find(type, version) {
      const versions = definitions.filter((one) => one.type === type);
      if (version !== undefined) return versions.find((one) => one.version === version);
      return versions.toSorted((a, b) => b.version - a.version)[0];
    },
  };
}

/** Registry of node types, one line each. */
export const catalog: Catalog = catalogOf([
  loadImage,
  ocr,
  describe,
  embedImage,
  embedText,
  index,
  preprocess,
  segment,
  transform,
  http,
  emit,
  review,
  llm,
  agent,
  classify,
  extract,
  workflow,
]);
