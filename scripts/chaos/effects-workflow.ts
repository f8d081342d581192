import { z } from 'zod';
import { channel, defineWorkflow, expr, map, node, type CodeWorkflow } from '#graphs/build.ts';
import { embedImage } from '#graphs/nodes/embed-image.ts';
import { emit } from '#graphs/nodes/emit.ts';
import { DocumentFacts, EmbeddingFacts } from '#graphs/nodes/facts.ts';
import { http } from '#graphs/nodes/http.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { transform } from '#graphs/nodes/transform.ts';

/** Webhooks of one run: one for each item of the map, and one at its end. */
export const webhooksOfRun = 4;

/**
 * Writes a result row, makes a call that fails once and is retried, calls out for each item of a map, and sends a last webhook.
 * `receiver` is the address of a `Receiver`; the channel `number` identifies the run.
 */
export function effectsWorkflow(receiver: string): CodeWorkflow {
  const retry = { maxAttempts: 8, initialIntervalMs: 20, backoff: 1.5, maxIntervalMs: 200 };
  const tell = (what: string, data: Record<string, unknown>) =>
    node(emit, { channel: 'webhook', url: `${receiver}/webhook`, type: what, data }, { retry });
  return defineWorkflow({
    id: 'wf_chaos_effects',
    name: 'Effects that must happen once',
    description: 'Result rows, webhooks and calls outside, for workers that are killed.',
    state: {
      number: channel(z.int()),
      document: channel(DocumentFacts),
      imageEmbedding: channel(EmbeddingFacts),
      response: channel(z.unknown()),
      items: channel(z.array(z.int())),
    },
    nodes: {
      load: node(loadImage, {}, { cache: false, retry }),
      row: node(embedImage, {}, { cache: false, retry }),
      call: node(http, { url: `${receiver}/call/{{ number }}`, parse: 'text' }, { retry }),
      list: node(transform, { set: { items: '[1, 2, 3]' } }),
      tell_item: tell('chaos.item', { number: expr('number'), item: expr('item') }),
      tell: tell('chaos.done', { number: expr('number') }),
    },
    edges: [
      ['START', 'load'],
      ['load', ['row', 'call']],
      [['row', 'call'], 'list'],
      map('list', { over: 'items', as: 'item', to: 'tell_item', concurrency: 2 }),
      ['tell_item', 'tell'],
      ['tell', 'END'],
    ],
    outputs: { embedding: 'imageEmbedding' },
  });
}
