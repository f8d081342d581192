import { defineWorkflow, node } from 'inkgraph';
import { index, loadImage, ocr } from 'inkgraph/nodes';
import { keyPoints } from './key-points.node.ts';
import { readingTime } from './reading-time.node.ts';

export const reading = defineWorkflow({
  id: 'wf_reading',
  name: 'Reading',
  description: 'Reads a document, estimates the time that reading takes, and chooses its key points.',
  nodes: {
    load_image: node(loadImage, {}),
    recognize: node(ocr, {}),
    reading_time: node(readingTime, {}),
    key_points: node(keyPoints, {}),
    index: node(index, {}),
  },
  edges: [
    ['START', 'load_image'],
    ['load_image', 'recognize'],
    ['recognize', ['reading_time', 'key_points', 'index']],
    [['reading_time', 'key_points', 'index'], 'END'],
  ],
  outputs: { readingMinutes: 'readingMinutes', keyPoints: 'keyPoints' },
});
