import sharp from 'sharp';
import type { Answer, TestApp } from '#test/support/test-app.ts';
import { addPicture } from '#test/support/workflows.ts';

/** Decides the label of a document by its width: cheap to compute, exactly predictable, and without recognized text. */
const graphOf = (label: string) => ({
  schemaVersion: 1,
  name: 'Size class',
  description: 'Labels documents by their width.',
  state: { document: {}, label: { schema: { type: 'string' } } },
  nodes: { load_image: { type: 'load_image' }, decide: { type: 'transform', config: { set: { label } } } },
  edges: [
    { from: 'START', to: 'load_image' },
    { from: 'load_image', to: 'decide' },
    { from: 'decide', to: 'END' },
  ],
  outputs: { label: 'label' },
});

/** Expressions for the label. `right` errs nowhere, `usual` on every fifth document, `poor` on four of five, `fails` ends every run. */
export const labels = {
  right: 'document.width >= 40 ? "wide" : "narrow"',
  usual: 'document.width % 5 == 0 ? "?" : (document.width >= 40 ? "wide" : "narrow")',
  poor: 'document.width % 5 == 1 ? (document.width >= 40 ? "wide" : "narrow") : "?"',
  fails: '["wide"][document.width]',
} as const;

export const setLabel = (label: string) => [
  { op: 'set_config' as const, nodeId: 'decide', config: { set: { label } } },
];

export interface Sized {
  readonly workflowId: string;
  readonly datasetId: string;
  readonly documentIds: readonly string[];
}

/** A published workflow, and a dataset of documents of different widths with the right label of each. `held` of them are the holdout. */
export async function sizedDocuments(app: TestApp, count: number, held: number): Promise<Sized> {
  const cookie = await app.signIn();
  const every = Math.max(1, Math.floor(count / Math.max(1, held)));
  const items = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const width = 10 + at;
      const background = { r: at % 256, g: 255 - (at % 256), b: 90 };
      const png = await sharp({ create: { width, height: 8, channels: 3, background } })
        .png()
        .toBuffer();
      const documentId = await addPicture(app, png, { width, height: 8 });
      const isHeld = at % every === 0 && at / every < held;
      return {
        documentId,
        split: isHeld ? 'holdout' : 'dev',
        reference: { label: width >= 40 ? 'wide' : 'narrow' },
      };
    }),
  );
  const made = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await app.call('POST', path, { cookie, body });
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { workflowId, revision } = await made('/api/dashboard/workflows', { graph: graphOf(labels.usual) });
  await made(`/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: revision });
  const { datasetId } = await made('/api/dashboard/datasets', { name: 'Sizes', items });
  return { workflowId, datasetId, documentIds: items.map(({ documentId }) => documentId) };
}
