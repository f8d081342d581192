import { z } from 'zod';
import { codeNode } from 'inkgraph';
import { OcrFacts, readFacts } from 'inkgraph/nodes';

/** A small pure function of channels. */
export const readingTime = codeNode({
  type: 'reading_time',
  summary: 'Estimate the minutes that reading takes',
  reads: ['ocr'],
  outputs: { readingMinutes: z.int().min(0) },
  run(channels) {
    const { characters = 0 } = readFacts(channels, 'ocr', OcrFacts) ?? {};
    return { readingMinutes: Math.ceil(characters / 1_000) };
  },
});
