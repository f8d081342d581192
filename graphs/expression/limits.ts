import { graphLimits } from '#src/contracts/resources/graph.ts';

/** Limits of one expression. Source: docs/decisions/0027. */
export const expressionLimits = {
  /** Longest source, in characters. */
  source: graphLimits.expression,
  astNodes: 600,
  depth: 40,
  listElements: 200,
  mapEntries: 100,
  /** Deepest nesting of `map`, `filter`, `all` and `exists`. */
  comprehensionDepth: 2,
  /** CPU time of one evaluation. */
  milliseconds: 50,
  /** Longest intermediate text, in characters. */
  text: 1_048_576,
  /** Longest intermediate list, in items. */
  items: 100_000,
  /** Sum of the characters and items of all intermediate values. */
  made: 8_388_608,
  /** Largest result, as JSON in UTF-8. */
  resultBytes: 65_536,
  /** Deepest nesting of inputs and of the result. */
  valueDepth: 32,
  rangeItems: 1_000,
  /** Most placeholders of one template. */
  placeholders: 500,
  /** Longest filled template, in characters. */
  filled: 1_048_576,
} as const;
