import sharp from 'sharp';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import type { Answer, TestApp } from '#test/support/test-app.ts';
import { addPicture } from '#test/support/workflows.ts';

/** Stands in references and outputs of the holdout only, and in no graph. */
export const marker = 'Zwirnhalter';
const written = '"Zwirn" + "halter"';

export const setLabel = (label: string) => [
  { op: 'set_config' as const, nodeId: 'decide', config: { set: { label } } },
];
/** Labels that differ between documents of the holdout. */
export const candidate = `document.width >= 100 ? ${written} + " " + string(document.width) : "narrow"`;

export interface Held {
  readonly workflowId: string;
  readonly datasetId: string;
  readonly held: readonly string[];
  readonly dev: readonly string[];
}

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

/** A document of this width. */
export async function wide(app: TestApp, width: number): Promise<string> {
  const background = { r: width % 256, g: 40, b: 200 };
  const png = await sharp({ create: { width, height: 6, channels: 3, background } })
    .png()
    .toBuffer();
  return addPicture(app, png, { width, height: 6 });
}

/** A published workflow that calls `url` with a secret, and a dataset whose holdout has the marker everywhere. */
export async function heldDocuments(app: TestApp, ask: Ask, url: string): Promise<Held> {
  const held = await Promise.all(Array.from({ length: 5 }, (_, at) => wide(app, 100 + at)));
  const dev = await Promise.all(Array.from({ length: 5 }, (_, at) => wide(app, 20 + at)));
  const secret = { value: 'value of the secret', hosts: [url] };
  await app.app.deps.secrets.set(app.seed, 'TOKEN', secret, 'test');
  const graph = graphOf(
    {
      load: { type: 'load_image' },
      call: { type: 'http', config: { url: `${url}/plain`, headers: { authorization: { $secret: 'TOKEN' } } } },
      decide: {
        type: 'transform',
        config: { set: { label: `document.width >= 100 ? ${written} : "narrow"`, text: 'string(document.width)' } },
      },
    },
    ['START>load', 'load>call', 'call>decide', 'decide>END'],
    {
      name: 'Width',
      state: { document: {}, response: {}, label: { schema: { type: 'string' } }, text: {} },
      outputs: { label: 'label' },
    },
  );
  const workflow = await ask('POST', '/api/dashboard/workflows', { graph });
  const { workflowId } = workflow.body;
  const published = await ask('POST', `/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: 1 });
  if (published.status >= 300) throw new Error(JSON.stringify([workflow.body, published.body]));
  const reference = { label: marker, text: marker, fields: { name: marker }, answers: { ask: marker } };
  const saved = await ask('POST', '/api/dashboard/datasets', {
    name: 'Held',
    items: [
      ...held.map((documentId) => ({ documentId, split: 'holdout', tags: [marker], reference })),
      ...dev.map((documentId) => ({ documentId, split: 'dev', reference: { label: 'narrow' } })),
    ],
  });
  if (saved.status !== 201) throw new Error(JSON.stringify(saved.body));
  return { workflowId, datasetId: saved.body.datasetId, held, dev };
}
