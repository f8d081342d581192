import { graphLimits } from '#src/contracts/resources/graph.ts';

/** What one expression may be and do. Source: graphs.md "Expressions". */
export const expressionLimits = {
  /** Characters of the source. */
  source: graphLimits.expression,
  astNodes: 600,
  depth: 40,
  listElements: 200,
  mapEntries: 100,
  /** `map`, `filter`, `all`, `exists` inside each other. */
  comprehensionDepth: 2,
  /** Of one evaluation, in computing time. */
  milliseconds: 50,
  /** Characters of one text made on the way. */
  text: 1_048_576,
  /** Items of one list made on the way. */
  items: 100_000,
  /** Characters and items that one evaluation makes altogether. */
  made: 8_388_608,
  /** Of the result as JSON, UTF-8. */
  resultBytes: 65_536,
  /** Levels of the result, and of what an expression looks at. */
  valueDepth: 32,
  rangeItems: 1_000,
  /** Placeholders of one template. */
  placeholders: 500,
  /** Characters of one filled template. */
  filled: 1_048_576,
} as const;
