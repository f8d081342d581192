import { randomUUID } from 'node:crypto';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

export type ProviderName = 'vllm' | 'roboflow' | 'fal' | 'replicate' | 'huggingface' | 'boxes';

/** Request to a service, before it is written in the format of its API. */
export interface Asked {
  readonly page: PageImage;
  readonly prompt: string;
  readonly model: string;
  readonly maxSegments: number;
}

interface Body {
  readonly type: string;
  readonly content: string | Buffer;
}

/** Description of a service: the format of requests, and the place of the regions in responses. */
export interface Provider {
  body(asked: Asked): Body;
  /** Headers and query with the key. */
  auth(key: string): {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths of the list of regions: names with dots, `*` for every item of a list. The first that exists counts. */
  readonly items: readonly string[];
  /** Order of four numbers in a list. */
  readonly box: 'corners' | 'size' | 'center';
  /** `{ x, y, width, height }`: x and y are the centre, not the upper left corner. */
  readonly centered?: true;
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const base64 = ({ png }: PageImage): string => png.toString('base64');
const dataUrl = (page: PageImage): string => `data:image/png;base64,${base64(page)}`;
const json = (value: unknown): Body => ({ type: 'application/json', content: JSON.stringify(value) });

function multipart(fields: Readonly<Record<string, string>>, png: Buffer): Body {
  const boundary = `inkgraph-${randomUUID()}`;
  const text = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="page.png"\r\nContent-Type: image/png\r\n\r\n`;
  const content = Buffer.concat([Buffer.from(text.join('') + file), png, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, content };
}

export const providers: Readonly<Record<ProviderName, Provider>> = {
  // https://docs.vllm.ai/projects/vllm-omni/en/latest/serving/image_segmentation_api/
  vllm: {
    body: ({ page, prompt, model }) => multipart({ model, prompt, mask_format: 'png' }, page.png),
    auth: bearer,
    items: ['data'],
    box: 'corners',
  },
  // https://docs.roboflow.com/models/supported-models/sam3
  roboflow: {
    body: ({ page, prompt }) =>
      json({
        image: { type: 'base64', value: base64(page) },
        prompts: [{ type: 'text', text: prompt }],
        format: 'polygon',
      }),
    auth: (key) => ({ query: { api_key: key } }),
    items: ['prompt_results.*.predictions', 'predictions'],
    box: 'corners',
    centered: true,
  },
  // https://fal.ai/models/fal-ai/sam-3/image
  fal: {
    body: ({ page, prompt, maxSegments }) =>
      json({
        image_url: dataUrl(page),
        prompt,
        apply_mask: false,
        return_multiple_masks: true,
        max_masks: Math.min(32, maxSegments),
        include_scores: true,
        include_boxes: true,
        output_format: 'png',
      }),
    auth: (key) => ({ headers: { authorization: `Key ${key}` } }),
    items: ['masks'],
    box: 'center',
  },
  // https://replicate.com/docs/reference/http: with `wait`, the response has the output.
  replicate: {
    body: ({ page, prompt, model }) => json({ version: model, input: { image: dataUrl(page), prompt } }),
    auth: bearer,
    headers: { prefer: 'wait' },
    items: ['output.detections', 'output.predictions', 'output.masks', 'output'],
    box: 'corners',
  },
  // https://huggingface.co/docs/inference-providers/tasks/image-segmentation and zero-shot object detection
  huggingface: {
    body: ({ page, prompt }) => json({ inputs: base64(page), parameters: { candidate_labels: [prompt] } }),
    auth: bearer,
    items: [''],
    box: 'corners',
  },
  boxes: {
    body: ({ page, prompt, model, maxSegments }) => json({ model, prompt, n: maxSegments, image: dataUrl(page) }),
    auth: bearer,
    items: ['data', 'segments', 'detections', 'predictions', 'objects', ''],
    box: 'corners',
  },
};
