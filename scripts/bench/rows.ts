import type { Row } from '#scripts/bench/row.ts';
import { dashboard } from '#scripts/bench/rows/d1-dashboard.ts';
import { engineWrites } from '#scripts/bench/rows/e1-engine-writes.ts';
import { engineReads } from '#scripts/bench/rows/e2-engine-reads.ts';
import { sameEngine } from '#scripts/bench/rows/f1-same-engine.ts';
import { ack } from '#scripts/bench/rows/g01-ack.ts';
import { readDocuments } from '#scripts/bench/rows/g02-documents.ts';
import { noopRuns } from '#scripts/bench/rows/g04-runs.ts';
import { langgraphApi } from '#scripts/bench/rows/g05-langgraph-api.ts';
import { ocrCost } from '#scripts/bench/rows/g06-ocr-cost.ts';
import { outsideOcr } from '#scripts/bench/rows/g07-outside-ocr.ts';
import { ocrErrors } from '#scripts/bench/rows/g08-ocr-errors.ts';
import { endurance } from '#scripts/bench/rows/g09-endurance.ts';
import { hybridSearch } from '#scripts/bench/rows/g11-hybrid-search.ts';
import { fields } from '#scripts/bench/rows/g12-fields.ts';
import { start } from '#scripts/bench/rows/g14-start.ts';
import { mcpContext, mcpWorkflow } from '#scripts/bench/rows/m1-mcp-calls.ts';
import { realtime } from '#scripts/bench/rows/r1-realtime.ts';
import { searchQuality } from '#scripts/bench/rows/s1-search-quality.ts';
import { searchLatency } from '#scripts/bench/rows/s2-search-latency.ts';
import { overhead } from '#scripts/bench/rows/w1-overhead.ts';
import { variant } from '#scripts/bench/rows/w2-variant.ts';
import { memory } from '#scripts/bench/rows/w3-memory.ts';
import { largestGraph } from '#scripts/bench/rows/w4-largest-graph.ts';

/** The registry of benchmarks: one line each, in the order of docs/benchmarks.md. */
export const rows: readonly Row[] = [
  ack,
  readDocuments,
  sameEngine,
  noopRuns,
  langgraphApi,
  ocrCost,
  outsideOcr,
  ocrErrors,
  endurance,
  hybridSearch,
  fields,
  searchQuality,
  searchLatency,
  start,
  realtime,
  mcpContext,
  mcpWorkflow,
  overhead,
  variant,
  memory,
  largestGraph,
  dashboard,
  engineWrites,
  engineReads,
];
